"""`hpo profet` and `hpo collect`: meta-models, and the meta-data that they are trained on."""
