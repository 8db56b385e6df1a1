"""Pictures, by matplotlib, with the colours and signs of the command's."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

# Told apart by colour-blind readers (Okabe & Ito).
CURVE, SLIDING, BAND, MARK = "#0072B2", "#D55E00", "#FBE3CF", "#000000"
# SIGNS give each group of events a title, a sign, its size, whether the sign is filled, and the kinds of events in the group.
SIGNS: Tuple[Tuple[str, Any, float, bool, Tuple[str, ...]], ...] = (
    ("crossing", "o", 5, False, ("crossing",)),
    ("sliding starts", "^", 6, True, ("sliding_entry",)),
    ("sliding ends", "v", 6, False, ("sliding_exit",)),
    ("corner", "s", 5, False, ("corner",)),
    ("jump, contact or switch", "D", 5, False, ("reset", "transition", "impact", "contact", "release")),
    ("touch or record", "x", 5, False, ("grazing", "record")),
    ("not unique", (8, 2, 0), 7, False, ("repelling", "two_fold", "ambiguous")),
    ("stop", "s", 5, True, ("stop", "zeno")),
)
# REGIONS are the colours of attractors in a plane, as those of the command.
REGIONS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#332288", "#88CCEE", "#AA4499", "#999933", "#661100")
# Chaos is dark and what is no attractor is light, so that curves are seen on both.
CHAOS, QUASIPERIODIC, UNRESOLVED, OTHER_ORBITS = "#555555", "#B39DDB", "#9E9E9E", "#D7CCC8"
LONGEST_NAME = 64
MOST_SEGMENTS, MOST_POINTS, MOST_SIGNS = 2000, 40_000, 500
POINTS, POINTS_OF_A_STEP = 2000, 8


class Curve:
    """The times and states of a run, close enough for a picture: NaN parts what a jump parts."""

    def __init__(self, result: Any) -> None:
        solution = result.sol if result.sol is not None else getattr(result, "_kept_sol", None)
        pieces: List[Tuple[np.ndarray, np.ndarray]] = []
        steps = np.asarray(result._step_t) * result._direction
        if solution is None or len(result.segments) > MOST_SEGMENTS or steps.size > MOST_POINTS:
            pieces = [(result.t, result.y)]
        else:
            whole = abs(steps[-1] - steps[0]) if steps.size else 0.0
            for segment in result.segments:
                pieces.append(self._piece(solution, segment, steps, whole))
        self.t, self.y = _joined(pieces, result.y.shape[0])

    @staticmethod
    def _piece(solution: Any, segment: Any, steps: np.ndarray, whole: float) -> Tuple[np.ndarray, np.ndarray]:
        low, high = sorted((segment.start, segment.end))
        if low == high:
            t = np.array([low])
            return t, solution(t)
        inner = np.unique(steps[(steps > low) & (steps < high)])
        bounds = np.concatenate(([low], inner, [high]))
        # A step is a polynomial, whose bends lie between its ends.
        parts = POINTS_OF_A_STEP if bounds.size * POINTS_OF_A_STEP < MOST_POINTS else 1
        within = np.interp(np.arange(parts * (bounds.size - 1) + 1) / parts, np.arange(bounds.size), bounds)
        t = np.union1d(within, np.linspace(low, high, max(2, int(POINTS * (high - low) / whole))))
        y = np.array(solution(t))
        # At its last time the segment has the state before whatever parts it from the next one.
        last = -1 if segment.end >= segment.start else 0
        y[:, last] = solution.before(segment.end)
        return (t, y) if segment.end >= segment.start else (t[::-1], y[:, ::-1])

    def row(self, k: int) -> np.ndarray:
        return np.asarray(self.y[k])

    def inside(self, low: float, high: float) -> np.ndarray:
        return np.asarray((self.t >= low) & (self.t <= high))


def _joined(pieces: Sequence[Tuple[np.ndarray, np.ndarray]], n: int) -> Tuple[np.ndarray, np.ndarray]:
    times: List[np.ndarray] = []
    states: List[np.ndarray] = []
    for t, y in pieces:
        if times and t.size:
            before, after = states[-1][:, -1], y[:, 0]
            size = 1e-9 * (1 + np.abs(before) + np.abs(after))
            if (np.abs(after - before) > size).any():
                times.append(np.array([t[0]]))
                states.append(np.full((n, 1), np.nan))
        times.append(t)
        states.append(y)
    if not times:
        return np.empty(0), np.empty((n, 0))
    return np.concatenate(times), np.concatenate(states, axis=1)


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
        figure = plt.figure(figsize=(10 if portrait else 7, 1.5 + 1.8 * rows), constrained_layout=True)
        grid = figure.add_gridspec(rows, 2 if portrait else 1)
        panels = [figure.add_subplot(grid[k, 0]) for k in range(rows)]
        square = figure.add_subplot(grid[:, 1]) if portrait else None
    else:
        panels = list(np.atleast_1d(axes))[:rows]
        square = list(np.atleast_1d(axes))[rows] if portrait and np.size(axes) > rows else None
        figure = panels[0].figure
    curve = Curve(result)
    sliding = [tuple(sorted((s.start, s.end))) for s in result.segments if "0" in s.mode and s.start != s.end]
    entries: Dict[str, Any] = {}
    for k, (name, panel) in enumerate(zip(names, panels)):
        row = result.state_names.index(name)
        panel.plot(curve.t, curve.row(row), color=CURVE, lw=1.2)
        for low, high in sliding:
            entries.setdefault("slides", panel.axvspan(low, high, color=BAND, lw=0, zorder=0))
        entries.update(_mark(result, panel, row))
        panel.set_ylabel(result.label(name))
        panel.sharex(panels[0]) if k else None
    panels[-1].set_xlabel("t")
    if square is not None:
        a, b = (result.state_names.index(name) for name in portrait)
        square.plot(curve.row(a), curve.row(b), color=CURVE, lw=1)
        for low, high in sliding:
            inside = curve.inside(low, high)
            square.plot(curve.row(a)[inside], curve.row(b)[inside], color=SLIDING, lw=2.5)
        square.plot(*(result.initial.state[k] for k in (a, b)), "o", color=MARK, ms=4)
        square.set_xlabel(result.label(portrait[0]))
        square.set_ylabel(result.label(portrait[1]))
    if entries:
        # Above the panels the legend covers no curve.
        panels[0].legend(list(entries.values()), list(entries), fontsize="small", ncol=3, frameon=False, loc="lower left",
                         bbox_to_anchor=(0, 1), borderaxespad=0.2)
    return figure


def _mark(result: Any, panel: Any, row: int) -> Dict[str, Any]:
    """Marks events on a curve; the signs by their titles."""
    group_of = {kind: k for k, sign in enumerate(SIGNS) for kind in sign[4]}
    points: Dict[int, List[Tuple[float, float]]] = {}
    for event in result.events[:MOST_SIGNS]:
        state = event.after if event.after is not None else event.before
        if state is not None and event.kind in group_of:
            points.setdefault(group_of[event.kind], []).append((event.t, state[row]))
    made = {}
    for k in sorted(points):
        title, sign, size, is_filled, _ = SIGNS[k]
        at = np.array(points[k])
        made[title], = panel.plot(at[:, 0], at[:, 1], marker=sign, ls="none", color=MARK, ms=size,
                                  mfc=MARK if is_filled else "none", mew=1)
    return made


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
        axes.plot(x, y, ".", color=CURVE, ms=2)
    else:
        axes.plot(values, sweep.greatest[:, row], color=CURVE, label="greatest")
        axes.plot(values, sweep.least[:, row], "--", color=SLIDING, label="least")
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncol=2, borderaxespad=0.2)
    axes.set_xlabel(names[0])
    axes.set_ylabel(sweep.names[row])
    return axes.figure


def draw_manifolds(manifolds: Any, ax: Any, x: int, y: int) -> Any:
    """The pieces of manifolds in the plane of states x and y; returns the axes."""
    import matplotlib.pyplot as plt

    axes = plt.subplots()[1] if ax is None else ax
    known = set()
    for piece in manifolds:
        is_branch = piece["piece"] == "branch"
        states = np.insert(piece.states.astype(float), piece.breaks, np.nan, axis=1) if piece.breaks else piece.states
        label = piece["kind"] + ("" if is_branch else ", fan")
        axes.plot(states[x], states[y], color=CURVE if piece["kind"] == "stable" else SLIDING, linewidth=1.5 if is_branch else 0.7,
                  linestyle="-" if is_branch else "--", label="_" + label if label in known else label)
        known.add(label)
    axes.plot(manifolds.points[x], manifolds.points[y], "o", color=MARK, markersize=5)
    axes.set_xlabel(manifolds.names[x])
    axes.set_ylabel(manifolds.names[y])
    if known:
        axes.legend()
    return axes


def draw_gaps(connections: Any, ax: Any = None) -> Any:
    """The gaps of manifolds over a parameter, and where they close; returns the axes."""
    import matplotlib.pyplot as plt

    axes = plt.subplots()[1] if ax is None else ax
    for k, gap in enumerate(connections.gaps):
        first, last = (f"{gap[end] + 1}{'+' if gap[end + '_side'] > 0 else '-'}" for end in ("from", "to"))
        axes.plot(gap.parameter, gap.gap, color=REGIONS[k % len(REGIONS)], lw=1.4, label=f"{first} to {last}")
    axes.axhline(0, color="#444444", lw=1, ls="--")
    if connections.found:
        axes.plot([one["parameter"] for one in connections.found], np.zeros(len(connections.found)), "o", color=MARK, ms=5, label="connection")
    axes.set_xlabel(connections["varied"])
    axes.set_ylabel("gap")
    if connections.gaps:
        axes.legend()
    return axes


def _add_special_points(curve: Any, axes: Any) -> None:
    for point in curve.special:
        axes.plot([point.first], [point.second], "o", color=MARK, markersize=5)
        axes.annotate(point.name, (point.first, point.second), xytext=(4, 4), textcoords="offset points")


def draw_curves(curves: Any, ax: Any = None) -> Any:
    """Curves of bifurcations in a plane of parameters, with the names of their points; returns the axes."""
    import matplotlib.pyplot as plt

    axes = plt.subplots()[1] if ax is None else ax
    for k, curve in enumerate(curves):
        axes.plot(*curve.values, color=(CURVE, SLIDING)[k % 2], linestyle=("-", "--", ":")[k // 2 % 3], label=curve["kind"])
        _add_special_points(curve, axes)
    axes.set_xlabel(curves.varied[0])
    axes.set_ylabel(curves.varied[1])
    if curves:
        axes.legend()
    return axes


def _grey(number: int) -> str:
    level = min(0xE0, 0x40 + 0x28 * number)
    return f"#{level:02X}{level:02X}{level:02X}"


def _coloured(cells: np.ndarray, colours: Sequence[str]) -> np.ndarray:
    """The colours of cells, red, green and blue; white where a cell has none."""
    from matplotlib.colors import to_rgb

    return np.array([*(to_rgb(colour) for colour in colours), (1.0, 1.0, 1.0)])[cells]


def _plane(plane: Any, image: np.ndarray, ax: Any) -> Any:
    import matplotlib.pyplot as plt

    axes = plt.subplots(figsize=(9, 5), constrained_layout=True)[1] if ax is None else ax
    axes.imshow(image, origin="lower", extent=plane.extent, aspect="auto", interpolation="nearest")
    across, up = plane.axes
    axes.set(xlabel=across, ylabel=up, xlim=plane.extent[:2], ylim=plane.extent[2:])
    return axes


def _legend(axes: Any, entries: Sequence[Tuple[str, str]], lines: Sequence[Any] = ()) -> None:
    from matplotlib.patches import Patch

    patches = [Patch(color=colour, label=name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…") for name, colour in entries]
    # Beside the plane the legend covers no cell.
    axes.legend(handles=[*patches, *lines], fontsize="small", frameon=False, loc="upper left", bbox_to_anchor=(1.02, 1), borderaxespad=0)


def draw_basins(basins: Any, ax: Any = None) -> Any:
    """The cells of basins, with the points of attractors that lie in the plane; returns the axes."""
    colours, others = [], 0
    for end in basins.ends:
        if end["attractor"] is None:
            colours.append(_grey(others))
            others += 1
        else:
            colours.append(REGIONS[end["attractor"] % len(REGIONS)])
    axes = _plane(basins, _coloured(basins.cells, colours), ax)
    rows = [basins["states"].index(name) for name in basins.axes]
    for attractor in basins.attractors:
        if attractor.points.size:
            is_dense = attractor["rounds"] == 0 or attractor["kind"] == "set"
            axes.plot(*attractor.points[rows], "o" if attractor["stable"] else "x", ls="none", color=MARK, ms=1 if is_dense else 5, clip_on=True)
    names = [end["name"] if end["attractor"] is None else f"{end['name']}: {basins.attractors[end['attractor']]['kind']}" for end in basins.ends]
    _legend(axes, [(name, colour) for name, colour, end in zip(names, colours, basins.ends) if end["cells"] > 0])
    return axes


def draw_diagram(diagram: Any, ax: Any = None) -> Any:
    """The regions of a diagram, and its curves over them; returns the axes."""
    from matplotlib.patheffects import withStroke

    special = {"chaotic": CHAOS, "quasiperiodic": QUASIPERIODIC, "unresolved": UNRESOLVED}
    colours: List[str] = []
    known, others = 0, 3
    for region in diagram.regions:
        if region["attractor"] is None:
            colours.append(_grey(others))
            others += 1
        elif region["attractor"] in special:
            colours.append(special[region["attractor"]])
        else:
            colours.append(REGIONS[known] if known < len(REGIONS) else OTHER_ORBITS)
            known += 1
    # Each cell is drawn as two by two: those of one diagonal are of the one direction.
    image = np.repeat(np.repeat(_coloured(diagram.forward, colours), 2, axis=0), 2, axis=1)
    back = np.repeat(np.repeat(_coloured(diagram.backward, colours), 2, axis=0), 2, axis=1)
    is_second = np.indices(image.shape[:2]).sum(axis=0) % 2 == 1
    image[is_second] = back[is_second]
    axes = _plane(diagram, image, ax)
    lines: Dict[str, Any] = {}
    styles = [(colour, dash) for dash in ("-", "--", ":") for colour in (MARK, "#B00020")]
    for curve in diagram.curves:
        colour, dash = styles[len(lines) % len(styles)] if curve.kind not in lines else (lines[curve.kind].get_color(), lines[curve.kind].get_linestyle())
        # A white rim parts a curve from dark regions.
        line, = axes.plot(*curve.values, color=colour, linestyle=dash, lw=1.3, label=curve.kind, path_effects=[withStroke(linewidth=2.6, foreground="#FFFFFF")])
        lines.setdefault(curve.kind, line)
        _add_special_points(curve, axes)
    shown = [(region.short_name, colour) for region, colour in zip(diagram.regions, colours)]
    _legend(axes, shown[:len(REGIONS)], list(lines.values()))
    axes.set(xlim=diagram.extent[:2], ylim=diagram.extent[2:])
    return axes
