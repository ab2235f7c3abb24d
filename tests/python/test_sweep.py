# SPDX-License-Identifier: Apache-2.0
"""Many runs: the rows are those of single runs, whoever makes them."""

import concurrent.futures

import dalembert
import numpy as np
import pytest

MEASURE = {"peak": "max(abs(lambda(pin[1])))", "x": "final(x)"}


@pytest.fixture(scope="module")
def crank():
    return dalembert.load("slider-crank")


def test_a_grid_has_the_numbers_of_single_runs(crank):
    study = crank.sweep(L1=(0.1, 0.2, 3), theta_dot=[1, 2], measure=MEASURE, t=0.5)
    assert study.quantities == ["L1", "theta'"] and study.units["peak"] == "N"
    assert study["L1"].tolist() == [0.1, 0.1, 0.15000000000000002, 0.15000000000000002, 0.2, 0.2]
    for k in range(len(study)):
        one = dalembert.load("slider-crank", L1=f"{study['L1'][k]:.17g} m", **{"theta'": f"{study[chr(39).join(['theta', ''])][k]:.17g} rad/s"})
        run = one.simulate(t=0.5)
        assert study["x"][k] == pytest.approx(run["x"][-1], rel=1e-12)
    assert study.holds.all() and (study.status == "ok").all()


def test_samples_do_not_depend_on_who_makes_them(crank, tmp_path):
    asked = dict(sample={"L1": "normal(0.15 m, 1 mm)"}, runs=60, seed=3, sampling="lhs", measure=MEASURE, t=0.2)
    study = crank.sweep(**asked)
    in_a_file = crank.sweep(**asked, output=tmp_path / "a.csv", threads=2)
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        in_parts = crank.sweep(**asked, executor=executor, shards=7)
        of_client = crank.sweep(**asked, client=executor, shards=2)
        with pytest.raises(TypeError, match="two words for the same"):
            crank.sweep(**asked, client=executor, executor=executor)
    for other in (in_a_file, in_parts, of_client):
        for name in ("index", "L1", "peak", "x", "error"):
            assert np.array_equal(other[name], study[name])
    assert crank.sweep(**{**asked, "seed": 4})["L1"][0] != study["L1"][0]


def test_rows_and_parameters(crank):
    study = crank.sweep(rows={"L1": [0.1, 0.2], "m1": [1, 2]}, params={"m2": 2.0}, t=0.1)
    assert len(study) == 2 and study["m1"].tolist() == [1, 2]
    assert list(study.to_pandas().columns) == ["L1", "m1", "final_theta", "final_phi", "final_x", "holds", "status", "error", "reason"]


def test_a_model_stated_in_python():
    m = dalembert.Model("spring")
    x, mass, k = m.coordinate("x", "m"), m.parameter("m", 1.0, "kg"), m.parameter("k", 20.0, "N/m")
    m.kinetic, m.potential = mass / 2 * x.dot**2, k / 2 * x**2
    m.initial(x=0.1)
    study = m.sweep(k=[10, 25, 40], measure={"end": "final(x)"}, t=1.0)
    assert study["end"] == pytest.approx(0.1 * np.cos(np.sqrt([10, 25, 40])), abs=1e-9)


def test_xarray(crank):
    pytest.importorskip("xarray")
    grid = crank.sweep(L1=(0.1, 0.2, 3), theta_dot=[1, 2], measure=MEASURE, t=0.1).to_xarray()
    assert grid["peak"].dims == ("L1", "theta'") and grid["peak"].attrs["units"] == "N"
    assert grid["peak"].shape == (3, 2) and grid["L1"].values.tolist() == [0.1, 0.15000000000000002, 0.2]
    noisy = crank.sweep(L1=[0.1, 0.2], sample={"m1": "uniform(1, 2)"}, runs=5, measure=MEASURE, t=0.1).to_xarray()
    assert noisy["m1"].dims == ("L1", "sample") and noisy["m1"].shape == (2, 5)


@pytest.mark.parametrize("asked", [
    {"L1": (0.1, 0.2, 3), "theta_dot": [1, 2]}, {"L2": [0.01, 0.4], "sample": {"m1": "uniform(1, 2)"}, "runs": 5},
    {"sample": {"m1": "uniform(1, 2)"}, "runs": 4}, {"rows": {"L1": [0.1, 0.2], "m1": [1, 2]}}])
def test_netcdf_is_what_xarray_reads(crank, tmp_path, asked):
    """netCDF4 reads what this program wrote; the values are those of Study.to_xarray(). Failed runs are among them."""
    xarray, _ = pytest.importorskip("xarray"), pytest.importorskip("netCDF4")
    study = crank.sweep(**asked, measure=MEASURE, t=0.1, output=tmp_path / "study.nc")
    ours = study.to_xarray()
    with xarray.open_dataset(tmp_path / "study.nc") as file:
        assert file.attrs["model"] == "slider-crank" and file.attrs["program"].startswith("dalembert ")
        assert file.attrs["study"] in (tmp_path / "study.nc.log").read_text().splitlines()[0]
        assert set(file.variables) == set(ours.variables)
        for name, variable in ours.variables.items():
            assert file[name].dims == variable.dims and file[name].attrs.get("units") == variable.attrs.get("units")
            assert np.array_equal(file[name].values, variable.values, equal_nan=variable.dtype == float)
        assert file["holds"].dtype == bool
    again = crank.sweep(**asked, measure=MEASURE, t=0.1, output=tmp_path / "study.nc")
    assert np.array_equal(again["x"], study["x"], equal_nan=True) and again.reason.tolist() == study.reason.tolist()


@pytest.mark.parametrize("asked, said", [
    ({}, "changes nothing"), ({"L9": [1]}, "did you mean `L1`"), ({"L1": [1, 2], "measure": {"a": "x"}}, "E0420"),
    ({"L1": "1 kg"}, "must be in `m`"), ({"sample": {"L1": "normal(1)"}, "runs": 3}, "takes 2 numbers")])
def test_bad_studies(crank, asked, said):
    with pytest.raises(dalembert.ModelError, match=said):
        crank.sweep(**asked)


def test_unknown_column(crank):
    with pytest.raises(KeyError, match="did you mean 'peak'"):
        crank.sweep(L1=[0.1], measure=MEASURE, t=0.1)["peek"]


def test_a_study_is_saved_as_the_command_writes_it(crank, tmp_path):
    # Oracle: the file that a sweep writes while it makes its runs, by other code.
    asked = dict(sample={"L1": "normal(0.15 m, 30 mm)"}, runs=40, seed=3, measure=MEASURE, t=0.2)
    crank.sweep(**asked, output=tmp_path / "a.csv")
    crank.sweep(**asked).save(tmp_path / "b.csv")
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        crank.sweep(**asked, executor=executor, shards=3).save(tmp_path / "c.csv")
    for other in ("b.csv", "c.csv"):
        assert (tmp_path / other).read_bytes() == (tmp_path / "a.csv").read_bytes()
    # What it says of itself is that study: a sweep into it has nothing to do.
    assert len(crank.sweep(**asked, output=tmp_path / "c.csv")) == 40
    with pytest.raises(ValueError, match=".csv or .nc"):
        crank.sweep(**asked).save(tmp_path / "b.txt")


def test_a_study_shows_itself(crank, tmp_path):
    study = crank.sweep(L1=(0.1, 0.2, 3), L2=[0.01, 0.4], measure=MEASURE, t=0.2)
    with pytest.raises(dalembert.ModelError, match="known to be an angle"):
        study.plot("peak", degrees=True)
    picture = study.plot("peak", y_range=(0, 100))
    assert picture.to_dict()["kind"] == "map" and picture.to_dict()["failed"] == 3 and picture.svg.startswith("<svg")
    assert study.plot("peak", x="L1").to_dict()["kind"] == "lines"
    assert "<img" in study._repr_html_() and "<table" in study._repr_html_()
    with pytest.raises(dalembert.ModelError, match="peak"):
        study.plot("peek")
    page = study.report(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count("<figure>") == 4 and "3 failed" in text and "no consistent start" in text
    assert page._repr_html_()
    failed = crank.sweep(L2=[0.01, 0.02], measure=MEASURE, t=0.2)
    assert "<table" in failed._repr_html_() and "No picture" in failed.report().html
