"""Pictures of the gallery in the quantities in which the literature draws these systems: by the name of the model what the picture
shows, and the options of `slideway run` that draw it."""

PICTURES = {
    "buck_discontinuous": (
        "The current of the inductor over the last three periods: it rises, falls, and stays at zero until the switch closes again.",
        ["--t-range", "0.97e-3:1e-3", "--states", "i", "--markers", "none"]),
    "car_gearbox": (
        "Speed of the car, gear, and speed of the engine, which falls back at every shift.",
        ["--states", "v,gear", "--observe", "speed", "--markers", "none"]),
    "cue_ball": (
        "The path of the ball over the cloth: a parabola, then straight on from where it rolls.",
        ["--phase", "x,y", "--markers", "all"]),
    "cuk_converter": (
        "The currents of both inductors and of the diode, their sum, over four periods: the third part of each has none in the diode.",
        ["--t-range", "9.92e-3:1e-2", "--states", "i1,i2", "--observe", "i_D", "--markers", "none"]),
    "current_mode_boost": (
        "The current of the inductor, which is cut off at a reference of 1.8 A: two periods of the clock make one of the current.",
        ["--set", "I_ref=1.8", "--t-range", "0.018:0.02", "--states", "i", "--markers", "none"]),
    "delayed_relay": (
        "The triangles of the steady oscillation, and the relay that is late by a quarter of their period.",
        ["--states", "x,u", "--markers", "none"]),
    "falling_rod": (
        "The angle, and the forces of the table across it and along it: the tip slips from where their ratio is mu.",
        ["--states", "phi", "--observe", "tip", "--observe", "grip"]),
    "full_wave_rectifier": (
        "The capacitor's voltage beside the rectified sine, and the pulses of the bridge's current.",
        ["--t-range", "0.06:0.1", "--states", "u", "--observe", "rectified", "--markers", "none"]),
    "izhikevich": (
        "The potential of the membrane: bursts of spikes, the pattern that is called chattering.",
        ["--states", "v", "--markers", "none"]),
    "junction_clipper": (
        "The clipped voltage beside its source.",
        ["--t-range", "0.003:0.005", "--observe", "u", "--observe", "source = E*sin(2*pi*f*t)", "--markers", "none"]),
    "rolling_ball": (
        "The speed of the ball and that of its rim: they meet where it begins to roll.",
        ["--states", "v", "--observe", "rim = -R*w", "--markers", "all"]),
    "spring_mass_runner": (
        "The path of the body over the ground, step by step.",
        ["--phase", "x,y", "--markers", "none"]),
    "stacked_boxes": (
        "The speeds of both boxes: none, one and the same, then one each.",
        ["--states", "vx,VX"]),
    "woodpecker": (
        "The height of the sleeve, and the angles of the bird: at every stroke the sleeve slides, jams and is freed again.",
        ["--states", "phiS", "--observe", "height = 10*y", "--markers", "none"]),
    "superball": (
        "The path of the ball, which the first impacts slow down along the floor.",
        ["--phase", "x,y", "--markers", "none"]),
    "thyristor_rectifier": (
        "The current beside the source over two periods: from the firing angle to that of extinction.",
        ["--t-range", "0.06:0.1", "--states", "i", "--observe", "source = V*sin(2*pi*f*t)", "--markers", "none"]),
    "turntable_block": (
        "Both parts of the friction, and the whole of it: it grows until it comes to mu g, and keeps that while the block slips.",
        ["--states", "x", "--observe", "Fx", "--observe", "Fy", "--observe", "F = sqrt(Fx^2 + Fy^2)", "--markers", "all"]),
    "vibration_robot": (
        "The place of the body and its speed in the steady state: far forwards, and a little back.",
        ["--t-range", "3:5", "--states", "x,v", "--markers", "none"]),
    "vibratory_conveyor": (
        "The place of the part on the track, its speed, and the forces of the track across it and along it over two periods.",
        ["--t-range", "0.8:1", "--states", "s,v", "--observe", "track", "--observe", "grip", "--markers", "none"]),
}
