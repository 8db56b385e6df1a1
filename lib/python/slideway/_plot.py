"""Pictures, by matplotlib."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

# Told apart by colour-blind readers (Okabe & Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = {"crossing": "x", "sliding_entry": "v", "sliding_exit": "^", "impact": "*", "reset": "s", "transition": "s",
           "stop": "D", "record": ".", "zeno": "P", "corner": "h"}


def plot_result(result: Any, states: Optional[Sequence[str]], phase: Optional[Sequence[str]], axes: Any) -> Any:
    import matplotlib.pyplot as plt

    names = list(states or result.state_names[:6])
    if np.iscomplexobj(result.y):
        raise ValueError("complex states are not drawn; plot their parts yourself")
    portrait = list(phase) if phase is not None else (result.state_names if len(result.state_names) == 2 else [])
    if portrait and len(portrait) != 2:
        raise ValueError("a phase portrait has two states")
    for name in names + list(portrait):
        if name not in result.state_names:
            raise ValueError(f"there is no state {name!r}; there are {', '.join(result.state_names)}")
    rows = len(names)
    if axes is None:
        figure = plt.figure(figsize=(10 if portrait else 7, 1.2 + 1.8 * rows), constrained_layout=True)
        grid = figure.add_gridspec(rows, 2 if portrait else 1)
        panels = [figure.add_subplot(grid[k, 0]) for k in range(rows)]
        square = figure.add_subplot(grid[:, 1]) if portrait else None
    else:
        panels = list(np.atleast_1d(axes))[:rows]
        square = list(np.atleast_1d(axes))[rows] if portrait and np.size(axes) > rows else None
        figure = panels[0].figure
    t = result.t
    if result.sol is not None and t.size < 2000:
        t = np.union1d(t, np.linspace(result.t.min(), result.t.max(), 2000))
        y = result.sol(t)
    else:
        y = result.y
    for k, (name, panel) in enumerate(zip(names, panels)):
        row = result.state_names.index(name)
        panel.plot(t, y[row], color=COLOURS[0], lw=1.2)
        for segment in result.segments:
            if "0" in segment.mode:
                panel.axvspan(segment.start, segment.end, color=COLOURS[4], alpha=0.25, lw=0)
        _mark(result, panel, row)
        panel.set_ylabel(name)
        panel.sharex(panels[0]) if k else None
    panels[-1].set_xlabel("t")
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        panels[0].legend(handles, labels, fontsize="small", ncol=4, frameon=False)
    if square is not None:
        a, b = (result.state_names.index(name) for name in portrait)
        square.plot(y[a], y[b], color=COLOURS[0], lw=1)
        for segment in result.segments:
            if "0" in segment.mode:
                inside = (t >= min(segment.start, segment.end)) & (t <= max(segment.start, segment.end))
                square.plot(y[a][inside], y[b][inside], color=COLOURS[1], lw=2.5)
        square.plot(*(result.initial.state[k] for k in (a, b)), "o", color="black", ms=4)
        square.set_xlabel(portrait[0])
        square.set_ylabel(portrait[1])
    return figure


def _mark(result: Any, panel: Any, row: int) -> None:
    points: dict = {}
    for event in result.events[:500]:
        state = event.after if event.after is not None else event.before
        if state is not None:
            points.setdefault(event.kind, []).append((event.t, state[row]))
    for kind, values in points.items():
        values = np.array(values)
        panel.plot(values[:, 0], values[:, 1], MARKERS.get(kind, "o"), color=COLOURS[1], ms=4, mfc="none", label=kind)


def plot_sweep(sweep: Any, state: Optional[str], axes: Any) -> Any:
    import matplotlib.pyplot as plt

    if axes is None:
        _, axes = plt.subplots(figsize=(7, 4), constrained_layout=True)
    row = 0 if state is None else sweep.names.index(state)
    names = list(sweep.values)
    if len(names) == 2 and len(sweep.shape) == 2:
        x, y = (np.unique(sweep.values[n]) for n in names)
        image = axes.pcolormesh(x, y, sweep.greatest[:, row].reshape(sweep.shape).T, shading="nearest", cmap="viridis")
        axes.figure.colorbar(image, ax=axes, label=f"greatest {sweep.names[row]}")
        axes.set_xlabel(names[0])
        axes.set_ylabel(names[1])
        return axes.figure
    values = sweep.values[names[0]]
    if any(len(s) for s in sweep.section):
        x = np.concatenate([np.full(len(s), v) for v, s in zip(values, sweep.section)])
        y = np.concatenate([s[:, row] for s in sweep.section])
        axes.plot(x, y, ".", color=COLOURS[0], ms=2)
    else:
        axes.plot(values, sweep.greatest[:, row], color=COLOURS[0], label="greatest")
        axes.plot(values, sweep.least[:, row], "--", color=COLOURS[1], label="least")
        axes.legend(frameon=False)
    axes.set_xlabel(names[0])
    axes.set_ylabel(sweep.names[row])
    return axes.figure
