"""Results in files of a versioned form, without code in them."""

from __future__ import annotations

import json
import math
import os
import tempfile
import zipfile
from typing import Any, Callable, Dict, List

import numpy as np

from . import _result
from ._audit import Audit, Contradiction
from ._dense import DenseSolution
from ._model import Model, model_from
from ._result import Events, Result, Sensitivities, Statistics

SCHEMA = "slideway.result/1"

_TUPLES: Dict[str, Any] = {kind.__name__: kind for kind in (_result.Event, _result.Outcome, _result.Segment, _result.Snapshot,
                                                            _result.EventDerivative, Contradiction)}
_OBJECTS: Dict[str, Any] = {kind.__name__: kind for kind in (Result, DenseSolution, Sensitivities, Audit)}


class _Encoder:
    """Values as JSON has them; arrays go to `put`, which returns what stands for them."""

    def __init__(self, put: Callable[[np.ndarray], Any]) -> None:
        self.put = put

    def encode(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, (int, np.integer)):
            return int(value)
        if isinstance(value, (float, np.floating)):
            return float(value) if math.isfinite(value) else {"number": repr(float(value))}
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, tuple) and type(value).__name__ in _TUPLES:
            return {"record": type(value).__name__, "values": [self.encode(v) for v in value]}
        if isinstance(value, tuple):
            return {"tuple": [self.encode(v) for v in value]}
        if isinstance(value, list):
            return [self.encode(v) for v in value]
        if isinstance(value, dict):
            kind = "statistics" if isinstance(value, Statistics) else "dict"
            return {kind: [[str(k), self.encode(v)] for k, v in value.items()]}
        if isinstance(value, Events):
            return {"events": [self.encode(event) for event in value]}
        if isinstance(value, Model):
            return {"model": self.encode(value.origin)}
        if type(value).__name__ in _OBJECTS:
            return {"object": type(value).__name__, "state": self.encode(_state_of(value))}
        raise TypeError(f"a {type(value).__name__} cannot be kept in a file of results")

    def _array(self, value: np.ndarray) -> Any:
        if value.dtype == object:
            return {"objects": [self.encode(v) for v in value.ravel()], "shape": list(value.shape)}
        return {"array": self.put(value)}


def _decode(value: Any, get: Callable[[Any], np.ndarray]) -> Any:
    def decode(value: Any) -> Any:
        if isinstance(value, list):
            return [decode(v) for v in value]
        if not isinstance(value, dict):
            return value
        if "number" in value:
            return float(value["number"])
        if "array" in value:
            return get(value["array"])
        if "objects" in value:
            made = np.empty(len(value["objects"]), dtype=object)
            made[:] = [decode(v) for v in value["objects"]]
            return made.reshape(value["shape"])
        if "record" in value:
            return _TUPLES[value["record"]](*decode(value["values"]))
        if "tuple" in value:
            return tuple(decode(value["tuple"]))
        if "dict" in value:
            return {k: decode(v) for k, v in value["dict"]}
        if "statistics" in value:
            return Statistics({k: decode(v) for k, v in value["statistics"]})
        if "events" in value:
            return Events(None, made=decode(value["events"]))
        if "model" in value:
            return model_from(decode(value["model"]))
        kind = _OBJECTS[value["object"]]
        made_object = object.__new__(kind)
        made_object.__dict__.update(decode(value["state"]))
        return made_object

    return decode(value)


def _state_of(value: Any) -> Dict[str, Any]:
    return value.__getstate__() if "__getstate__" in type(value).__dict__ else dict(value.__dict__)


def _plain(array: np.ndarray) -> Any:
    """An array as JSON has it; numbers keep all of their digits."""
    if np.iscomplexobj(array):
        return {"re": _plain(array.real.copy()), "im": _plain(array.imag.copy())}
    values: List[Any] = array.ravel().tolist()
    if array.dtype.kind == "f":
        values = [v if math.isfinite(v) else repr(v) for v in values]
    return {"type": str(array.dtype), "shape": list(array.shape), "values": values}


def _from_plain(value: Any) -> np.ndarray:
    if "re" in value:
        return np.asarray(_from_plain(value["re"]) + 1j * _from_plain(value["im"]))
    return np.array(value["values"], dtype=value["type"]).reshape(value["shape"])


def save(result: Result, path: Any) -> None:
    path = os.fspath(path)
    ending = os.path.splitext(path)[1].lower()
    if ending not in (".npz", ".json"):
        raise ValueError(f"a result is kept in a file whose name ends in .npz or .json, not in {path!r}")
    arrays: Dict[str, np.ndarray] = {}

    def put(array: np.ndarray) -> str:
        arrays[f"a{len(arrays)}"] = np.ascontiguousarray(array)
        return f"a{len(arrays) - 1}"

    encoder = _Encoder(_plain if ending == ".json" else put)
    document = {"schema": SCHEMA, "result": encoder.encode(result)}
    text = json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    # The file takes its name when all of it is written.
    number, temporary = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), prefix=".slideway-")
    try:
        with os.fdopen(number, "wb") as file:
            if ending == ".json":
                file.write(text + b"\n")
            else:
                np.savez_compressed(file, document=np.frombuffer(text, dtype=np.uint8), **arrays)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def load(path: Any) -> Result:
    path = os.fspath(path)
    try:
        with open(path, "rb") as file:
            if file.read(2) == b"PK":
                with np.load(path, allow_pickle=False) as arrays:
                    document = json.loads(arrays["document"].tobytes().decode())
                    made = _checked(document, path, lambda name: arrays[name])
            else:
                file.seek(0)
                document = json.loads(file.read().decode())
                made = _checked(document, path, _from_plain)
    except (zipfile.BadZipFile, UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError, EOFError) as error:
        raise ValueError(f"{path} is not a whole file of a result: {error}") from None
    return made


def _checked(document: Any, path: str, get: Callable[[Any], np.ndarray]) -> Result:
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"{path} has the schema {schema!r}; this version of slideway reads {SCHEMA!r}")
    made = _decode(document["result"], get)
    if not isinstance(made, Result):
        raise TypeError("no result is in it")
    return made
