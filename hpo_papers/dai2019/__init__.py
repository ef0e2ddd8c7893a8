"""Dai et al. (2019), on tables that this project trained: logistic regression, feature selection, and substitutes."""

TITLE = "Dai et al. (2019), Bayesian Optimization Meets Bayesian Optimal Stopping"
ITEMS = {
    "fig-1": "figures.fig_1",
    "fig-2": "figures.fig_2",
    "fig-3": "figures.fig_3",
    "fig-4": "figures.fig_4",
    "fig-5": "figures.fig_5",
    "fig-6": "figures.fig_6",
    "fig-7": "figures.fig_7",
    "fig-8": "figures.fig_8",
    "fig-11": "figures.fig_11",
}
