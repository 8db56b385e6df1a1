"""Results as frames of pandas and data sets of xarray."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from ._result import EVENT_FIELDS

# Few words that come again and again.
_WORDS = ("kind", "name", "from_", "to", "from_location", "to_location")


def _index(times: np.ndarray, time: Any) -> Any:
    import pandas

    if time is None:
        return pandas.Index(times, name="t")
    origin, unit = time if isinstance(time, tuple) else (None, time) if _is_unit(time) else (time, "s")
    # Nanoseconds are what pandas counts in.
    passed = pandas.to_timedelta(np.asarray(times, dtype=float) * pandas.Timedelta(1, unit=unit).value, unit="ns")
    return pandas.Index(passed if origin is None else pandas.Timestamp(origin) + passed, name="t")


def _is_unit(time: Any) -> bool:
    import pandas

    try:
        return isinstance(time, str) and pandas.Timedelta(1, unit=time) is not None
    except ValueError:
        return False


def frame_of(result: Any, time: Any) -> Any:
    import pandas

    columns: Dict[str, Any] = {name: result.y[k] for k, name in enumerate(result.state_names)}
    columns.update(result.observed)
    columns["mode"] = pandas.Categorical(list(result.modes))
    locations = result.locations()
    if locations is not None:
        columns["location"] = pandas.Categorical(locations)
    return pandas.DataFrame(columns, index=_index(result.t, time))


def dataset_of(result: Any) -> Any:
    import xarray

    variables: Dict[str, Any] = {name: ("t", np.asarray(result.y[k])) for k, name in enumerate(result.state_names)}
    variables.update({name: ("t", values) for name, values in result.observed.items()})
    variables["mode"] = ("t", np.asarray(result.modes, dtype=str))
    made = xarray.Dataset(variables, coords={"t": result.t}, attrs=dict(result.parameters, outcome=result.outcome.status))
    if result.model is not None:
        for key, texts in (("units", result.model.units), ("long_name", result.model.labels)):
            for name, text in texts.items():
                if name in made.variables:
                    made[name].attrs[key] = text
    return made


def events_frame_of(result: Any, time: Any) -> Any:
    import pandas

    columns: Dict[str, List[Any]] = {k: [] for k in EVENT_FIELDS if k not in ("before", "after")}
    for event in result.events:
        for key, values in columns.items():
            values.append(getattr(event, key))
    frame = pandas.DataFrame(columns)
    for word in _WORDS:
        frame[word] = pandas.Categorical(frame[word])
    if time is not None:
        frame.index = _index(np.asarray(frame.pop("t"), dtype=float), time)
    return frame
