#include "validation/language/grammar.hpp"

#include <array>
#include <set>
#include <string>
#include <vector>

#include "validation/language/builder.hpp"

namespace slideway::validation::language {
namespace {

using Plant = void (*)(Builder&);

bool is_condition(const Term& term) {
  static const std::set<std::string> heads = {">", ">=", "<", "<=", "==", "and", "or", "not"};
  return term.kind() == TermKind::call && heads.count(term.head()) != 0;
}

// x' = −a·x + what drives it.
void lag(Builder& b) {
  const Term x = b.state("x", b.draw().number(-1, 1));
  const Term drive = b.value(b.draw().integer(1, 3));
  const Term named = b.draw().chance(0.5) ? b.definition("d", drive) : drive;
  b.add_signal(x);
  b.derivative(x, -b.constant(0.5, 2) * x + b.draw().number(0.4, 1.5) * named + b.wave());
}

// Friction of any law under a mass on a spring.
void oscillator(Builder& b) {
  random::Draw& draw = b.draw();
  const Term q = b.state("q", draw.number(-1, 1));
  const Term v = b.state("v", draw.number(-1, 1));
  constexpr std::array laws = {"viscous",     "coulomb",         "static", "directional", "stribeck",
                               "exponential", "stribeck-linear", "dahl",   "lugre",       "bouc-wen"};
  const std::string law = laws[static_cast<std::size_t>(draw.integer(0, 9))];
  ElementLine line{.name = b.fresh("F"), .law = law, .keys = {{"velocity", v}}};
  const double level = draw.number(0.1, 0.6);
  const auto add = [&](const char* key, const Term& value) { line.keys.push_back({key, value}); };
  if (law == "viscous") {
    add("B", level);
  } else if (law == "dahl") {
    add("sigma", draw.number(2, 10));
    add("Fc", level);
  } else if (law == "bouc-wen") {
    add("k", level);
    add("beta", draw.number(1, 2));
    add("gamma", draw.number(-0.5, 0.5));
    add("n", 2.0);
  } else if (law == "lugre") {
    add("sigma0", draw.number(10, 100));
    add("sigma1", draw.number(0.5, 2));
    add("Fc", level);
    add("Fs", random::rounded(1.4 * level, 3));
    add("vs", 0.1);
  } else {
    add("Fc", level);
    if (law == "directional") add("Fc_minus", draw.number(0.05, 0.4));
    if (law == "static" || law.starts_with("stribeck") || law == "exponential") {
      add("Fs", random::rounded(level * draw.number(1.05, 1.6), 3));
    }
    if (law.starts_with("stribeck") || law == "exponential") add("vs", draw.number(0.1, 0.5));
    if (draw.chance(0.3)) add("B", draw.number(0.05, 0.3));
  }
  b.model().friction.push_back(line);
  const Term push = draw.chance(0.4) ? b.value(2) : b.wave();
  b.add_signal(q);
  b.add_signal(v);
  b.derivative(q, v);
  b.derivative(v, -b.constant(0.5, 4) * q - draw.number(0.1, 0.4) * v + push - name(line.name));
}

// Water runs in and out; what is above a wall runs over.
void tank(Builder& b) {
  random::Draw& draw = b.draw();
  const Term h = b.state("h", draw.chance(0.2) ? 0.0 : draw.number(0.1, 1));
  const double wall = draw.number(0.4, 1.2);
  const Term inflow = call("max", {0.3 + 0.6 * b.value(1), 0.0});
  const Term outflow = draw.number(0.1, 0.5) * call("sqrt", {call("max", {h, 0.0})});
  const Term over = draw.chance(0.5) ? draw.number(1, 4) * call("max", {h - wall, 0.0})
                                     : call("if", {call(">", {h, wall}), draw.number(0.5, 1.5), 0.0});
  b.add_signal(h - 0.5);
  b.derivative(h, inflow - outflow - over);
}

// A controller whose integrator stops at the limits of what it commands.
void anti_windup(Builder& b) {
  random::Draw& draw = b.draw();
  const Term y = b.state("y", draw.number(-0.5, 0.5));
  const Term i = b.state("i", 0);
  const double limit = draw.number(0.5, 1.2);
  const Term target = draw.chance(0.5) ? b.wave() : Term(draw.number(-1, 1));
  const Term e = b.definition("e", target - y);
  const Term u = b.definition("u", draw.number(0.5, 2) * e + i);
  const Term command = b.definition("c", call("sat", {u, -limit, limit}));
  const Term at_limit = draw.chance(0.5) ? command : u;
  const Term held =
      call("if", {call("and", {call(">=", {at_limit, limit}), call(">", {e, 0.0})}), 0.0,
                  call("if", {call("and", {call("<=", {at_limit, -limit}), call("<", {e, 0.0})}), 0.0,
                              draw.number(0.5, 2) * e})});
  b.add_signal(y);
  b.derivative(y, -y + 1.5 * command + 0.3 * b.value(1));
  b.derivative(i, held - 0.05 * i);
}

// A thermostat in one of its forms.
void thermostat(Builder& b) {
  random::Draw& draw = b.draw();
  const double initial = draw.number(-0.5, 1.5);
  const Term x = b.state("T", initial);
  const double low = draw.number(0, 0.4);
  const double high = random::rounded(low + draw.number(0.1, 0.5), 3);
  Term on;
  switch (draw.integer(0, 4)) {
    case 0: on = call("if", {call("<", {x, low}), 1.0, 0.0}); break;
    case 1: on = 0.5 - 0.5 * call("hysteresis", {x, low, high}); break;
    case 2: {
      const std::string line = b.fresh("R");
      b.model().hysteresis.push_back(
          {.name = line, .law = "relay", .keys = {{"input", x}, {"low", low}, {"high", high}}});
      on = 0.5 - 0.5 * name(line);
      break;
    }
    case 3: {
      const Term flag = b.discrete("on", initial < low ? 1 : 0);
      b.model().events.push_back(
          {.name = b.fresh("heat"), .when = call("<", {x, low}), .set = {{flag.head(), 1.0}}});
      b.model().events.push_back(
          {.name = b.fresh("idle"), .when = call(">", {x, high}), .set = {{flag.head(), 0.0}}});
      b.add_flag(call("==", {flag, 1.0}));
      on = call("if", {call(">=", {flag, 1.0}), 1.0, 0.0});
      break;
    }
    default: {
      Part part{.name = b.fresh("A"), .initial = "heating"};
      part.locations = {{.name = "heating"}, {.name = "idle"}};
      part.edges.push_back({.sort = EventSort::edge,
                            .name = b.fresh("hot"),
                            .when = call(">", {x, high}),
                            .from = "heating",
                            .to = "idle"});
      part.edges.push_back({.sort = EventSort::edge,
                            .name = b.fresh("cold"),
                            .when = call("<", {x, low}),
                            .from = "idle",
                            .to = "heating"});
      b.model().automata.push_back(part);
      b.add_flag(call("==", {name(part.name), 1.0}));
      on = call("if", {call("==", {name(part.name), 1.0}), 1.0, 0.0});
    }
  }
  b.add_signal(x);
  b.derivative(x, 1.5 * on - draw.number(0.5, 1) * (x + 0.3) + 0.2 * b.value(1));
}

// A sampled controller, with a set point that changes at times of its own.
void sampled(Builder& b) {
  random::Draw& draw = b.draw();
  const Term x = b.state("s", draw.number(-1, 1));
  const Term u = b.discrete("u", 0);
  const Term r = b.discrete("r", draw.number(-0.5, 0.5));
  Clock control{.name = b.fresh("control"), .period = draw.chance(0.5) ? 0.5 : draw.number(0.3, 1.2)};
  control.set.push_back({u.head(), call("sat", {2.0 * (r - x), -1.0, 1.0})});
  if (draw.chance(0.3)) control.offset = draw.number(0.1, 1);
  if (draw.chance(0.2)) control.priority = draw.integer(-1, 2);
  b.model().clocks.push_back(control);
  Clock plan{.name = b.fresh("plan"), .set = {{r.head(), draw.chance(0.5) ? -r : 0.3 - 0.5 * r}}};
  if (draw.chance(0.5)) {
    plan.at = {1, draw.number(1.5, 4), draw.number(4.5, 8)};
  } else {
    plan.period = 2;
    plan.offset = 1;
    plan.count = draw.integer(1, 4);
  }
  b.model().clocks.push_back(plan);
  const Term guard = draw.chance(0.5) ? x - r : r - 2.0 * x;
  b.add_signal(x);
  b.add_signal(x - r);
  b.derivative(x, u - 0.4 * x - draw.number(0.1, 0.8) * call("sgn", {guard}) + 0.3 * b.wave());
}

// What counts: an integrator that wraps, and a discrete counter.
void counter(Builder& b) {
  random::Draw& draw = b.draw();
  const Term c = b.state("k", 0);
  const Term m = b.discrete("m", 0);
  const Term rate = 1.0 + 0.4 * b.smooth(b.signal());
  const double top = draw.chance(0.5) ? 1 : draw.number(0.6, 1.4);
  Event wrap{.name = b.fresh("wrap"), .direction = "rising"};
  const int form = draw.integer(0, 2);
  wrap.when = form == 0 ? c - top : form == 1 ? call(">", {c, top}) : call("max", {c - top, 0.0});
  if (form == 1) wrap.direction = {};
  wrap.set = {{c.head(), draw.chance(0.5) ? Term(0.0) : c - top}, {m.head(), call("mod", {m + 1.0, 3.0})}};
  b.model().events.push_back(wrap);
  b.add_flag(call("==", {m, 1.0}));
  b.add_flag(call(">", {m, draw.chance(0.5) ? 1.0 : 0.5}));
  b.add_signal(c - 0.5);
  b.add_held_signal(m - 1.0);
  b.derivative(c, rate);
}

// A relay that acts later.
void delayed(Builder& b) {
  random::Draw& draw = b.draw();
  const Term x = b.state("z", draw.number(0.2, 1));
  const Term u = b.discrete("w", -1);
  const double delay = draw.number(0.05, 0.4);
  Event up{.name = b.fresh("up"),
           .when = x + 0.1,
           .direction = "falling",
           .set = {{u.head(), 1.0}},
           .delay = delay};
  Event down{.name = b.fresh("down"),
             .when = x - 0.1,
             .direction = "rising",
             .set = {{u.head(), -1.0}},
             .delay = delay};
  if (draw.chance(0.4)) {
    up.values = "execution";
    down.values = "trigger";
  }
  b.model().events.push_back(up);
  b.model().events.push_back(down);
  b.add_flag(call("<", {u, 0.0}));
  b.add_signal(x);
  b.derivative(x, 0.7 * u - 0.3 * x + 0.2 * b.wave());
}

// A ball between a floor and a ceiling, or in a groove, near the origin or far from it.
void ball(Builder& b) {
  random::Draw& draw = b.draw();
  const double place = draw.chance(0.5) ? 0 : draw.chance(0.5) ? 100 : -7.3;
  const double height = draw.number(0.3, 1);
  const double restitution = draw.chance(0.3) ? 0 : draw.number(0.2, 0.7);
  const Term y = b.state("b", random::rounded(place + height, 6));
  const Term v = b.state("n", draw.number(-0.5, 0.5));
  const std::string law = draw.chance(0.3) ? "poisson" : "";
  const Term above = y - place;
  if (draw.chance(0.6)) {
    Contact floor{.name = b.fresh("floor"),
                  .gap = above,
                  .acts_on = {{v.head(), 1.0}},
                  .restitution = restitution,
                  .impact_law = law};
    if (draw.chance(0.4)) {
      const Term slip = b.state("g", draw.number(-1, 1));
      floor.friction = {.mu = draw.number(0.1, 0.6), .velocity = slip, .acts_on = {{slip.head(), 1.0}}};
      if (draw.chance(0.3)) floor.friction->mu_s = random::rounded(1.3 * floor.friction->mu, 3);
      b.derivative(slip, b.wave() - 0.1 * slip);
      b.add_signal(slip);
    }
    b.model().contacts.push_back(floor);
    if (draw.chance(0.4)) {
      b.model().contacts.push_back({.name = b.fresh("ceiling"),
                                    .gap = random::rounded(place + 1.2, 6) - y,
                                    .acts_on = {{v.head(), -1.0}},
                                    .restitution = restitution});
    }
  } else {
    // Two walls at right angles; the ball has a second direction.
    const Term x = b.state("a", random::rounded(place + draw.number(-0.1, 0.1), 6));
    const Term w = b.state("o", draw.number(-0.3, 0.3));
    for (const double side : {1.0, -1.0}) {
      b.model().contacts.push_back({.name = b.fresh("wall"),
                                    .gap = above - side * (x - place),
                                    .acts_on = {{v.head(), 1.0}, {w.head(), -side}},
                                    .restitution = restitution,
                                    .impact_law = law});
    }
    b.derivative(x, w);
    b.derivative(w, 0.2 * b.wave() - 0.1 * w);
  }
  b.add_signal(above);
  b.derivative(y, v);
  b.derivative(v, -draw.number(1, 5) - 0.1 * v + 0.3 * b.wave());
}

// Two masses that are coupled by their inertia.
void mass_matrix(Builder& b) {
  random::Draw& draw = b.draw();
  const Term p = b.state("p", draw.number(-1, 1));
  const Term v = b.state("f", 0);
  const Term w = b.state("j", draw.number(-1, 1));
  const Term coupling = draw.number(0.1, 0.4) * call("cos", {p});
  b.model().mass.push_back({v.head(), {{v.head(), b.constant(1, 2)}, {w.head(), coupling}}});
  b.model().mass.push_back({w.head(), {{v.head(), coupling}, {w.head(), 1.2}}});
  b.add_signal(p);
  b.add_signal(v);
  b.derivative(p, w);
  b.derivative(v, b.wave() - v - draw.number(0.1, 0.5) * call("sgn", {v}));
  b.derivative(w, -2.0 * call("sin", {p}) - 0.5 * w + 0.5 * b.value(1));
}

// An equation beside the derivatives, with a kink of its own or a search.
void algebraic(Builder& b) {
  random::Draw& draw = b.draw();
  const Term x = b.state("l", draw.number(-1, 1));
  const std::string text = b.fresh("y");
  const Term y = name(text);
  AlgebraicLine line{.name = text};
  switch (draw.integer(0, 4)) {
    case 0: line.value = x + 0.3 * b.signal() - draw.number(0.3, 2) * call("max", {y, 0.0}); break;
    case 1: line.value = x - draw.number(0.2, 1) * call("^", {y, 3.0}); break;
    case 2: line.value = b.signal() - 0.5 * call("sat", {y, -0.3, 0.4}); break;
    case 3: line.value = x - draw.number(0.2, 0.6) * call("sgn", {y}); break;
    default: line.value = y - (y + 0.5 * call("sin", {y}) - x); line.guess = draw.number(-0.2, 0.2);
  }
  b.model().algebraic.push_back(line);
  b.add_signal(x);
  b.derivative(x, -x - 0.5 * y + b.wave() + 0.3 * b.value(1));
}

// Blocks in a row.
void chain(Builder& b) {
  random::Draw& draw = b.draw();
  const int size = draw.integer(2, 4);
  const std::string x = b.fresh("X");
  const std::string v = b.fresh("V");
  const std::string ends = draw.chance(0.5) ? "zero" : draw.chance(0.5) ? "clamped" : "periodic";
  const Term here = name(x + "[i]");
  const Term moves = name(v + "[i]");
  b.model().states.push_back(
      {.name = x, .initial = draw.number(-0.5, 0.5) * name("i"), .size = size, .ends = ends});
  b.model().states.push_back({.name = v, .initial = 0.0, .size = size, .ends = ends});
  const Term springs = name(x + "[i-1]") - 2.0 * here + name(x + "[i+1]");
  const Term drive = draw.number(0.5, 1.5) * call("sin", {b.constant(0.5, 2) * name("t") + name("i")});
  b.model().derivatives.push_back({x, moves});
  b.model().derivatives.push_back(
      {v, springs - 0.3 * here - 0.2 * moves + drive - draw.number(0.1, 0.6) * call("sgn", {moves})});
  b.add_signal(0.5 * call("sum", {name(x)}));
}

// Elements of a vector that fire by themselves, and push their neighbours.
void row(Builder& b) {
  random::Draw& draw = b.draw();
  const int size = draw.integer(2, 4);
  const std::string u = b.fresh("U");
  const Term here = name(u + "[i]");
  const std::string ends = draw.chance(0.5) ? "zero" : draw.chance(0.5) ? "clamped" : "periodic";
  b.model().states.push_back(
      {.name = u, .initial = draw.number(0, 0.15) * name("i"), .size = size, .ends = ends});
  const Term drive = 0.2 * call("sin", {b.constant(0.5, 2) * name("t") + name("i")});
  b.model().derivatives.push_back({u, draw.number(0.5, 0.9) + 0.05 * name("i") + drive - 0.2 * here +
                                          draw.number(0, 0.3) * (name(u + "[i-1]") - here)});
  const double level = draw.number(0.6, 0.9);
  Event fires{.name = b.fresh("fire"), .set = {{u + "[i]", draw.number(-0.2, 0.1)}}, .size = size};
  fires.when = draw.chance(0.5) ? call(draw.chance(0.5) ? ">=" : ">", {here, level}) : here - level;
  if (fires.when.kind() != TermKind::call || !is_condition(fires.when)) fires.direction = "rising";
  if (draw.chance(0.5)) {
    const Term m = b.discrete("fired", 0);
    fires.set.push_back({m.head(), call("mod", {m + 1.0, 3.0})});
    b.add_held_signal(m);
  }
  if (draw.chance(0.3)) fires.delay = draw.number(0.05, 0.2);
  b.model().events.push_back(fires);
  if (draw.chance(0.4)) {
    b.model().events.push_back({.sort = EventSort::record,
                                .name = b.fresh("half"),
                                .when = here - 0.5 * level,
                                .direction = draw.chance(0.5) ? "rising" : "any",
                                .size = size});
  }
  b.add_signal(0.5 * call("sum", {name(u)}));
}

// Memories that are states.
void memory(Builder& b) {
  random::Draw& draw = b.draw();
  const Term x = b.state("r", draw.number(-0.5, 0.5));
  const std::string text = b.fresh("H");
  ElementLine line{.name = text};
  if (draw.chance(0.5)) {
    line.law = "preisach";
    const int size = draw.integer(2, 5);
    line.keys = {{"input", x},
                 {"size", static_cast<double>(size)},
                 {"low", -0.15 * name("i")},
                 {"high", 0.2 * name("i")},
                 {"weight", random::rounded(1.0 / size, 3)}};
  } else {
    line.law = "backlash";
    line.keys = {{"input", x}, {"gap", draw.number(0.1, 0.4)}, {"fastest", 20.0}};
  }
  b.model().hysteresis.push_back(line);
  b.add_signal(x);
  b.derivative(x, -x - 0.5 * name(text) + 1.5 * b.wave());
}

// Locations of the whole model.
void locations(Builder& b) {
  random::Draw& draw = b.draw();
  if (!b.model().locations.empty()) return lag(b);
  const Term x = b.state("q", draw.number(-0.3, 0.3));
  const std::string up = b.fresh("up");
  const std::string down = b.fresh("down");
  b.model().initial = up;
  b.model().locations.push_back(
      {.name = up, .derivatives = {{x.head(), draw.number(0.8, 1.5) - x + 0.2 * b.value(1)}}});
  b.model().locations.push_back({.name = down});
  b.derivative(x, -draw.number(0.8, 1.5) - x + 0.2 * b.wave());
  const double level = draw.number(0.2, 0.5);
  Event high{.sort = EventSort::edge, .name = b.fresh("high"), .from = up, .to = down};
  high.when = draw.chance(0.5) ? call(">=", {x, level}) : x - level;
  if (!high.when.is_call(">=")) high.direction = "rising";
  Event low{.sort = EventSort::edge,
            .name = b.fresh("low"),
            .when = x + level,
            .direction = "falling",
            .from = down,
            .to = up};
  if (draw.chance(0.3)) low.across_jumps = false;
  if (draw.chance(0.2)) low.set = {{x.head(), x - draw.number(0.1, 0.5)}};
  b.model().events.push_back(high);
  b.model().events.push_back(low);
  b.add_signal(x);
}

// A named surface, with or without a bound at rest of its own.
void named_surface(Builder& b) {
  random::Draw& draw = b.draw();
  const Term x = b.state("e", draw.number(-1, 1));
  SurfaceLine line{.name = b.fresh("S"), .guard = x - 0.5 * b.smooth_wave()};
  if (draw.chance(0.5)) line.break_away = draw.number(1, 1.6);
  b.model().surfaces.push_back(line);
  b.add_signal(x);
  b.derivative(x, b.value(2) - x - draw.number(0.3, 1.2) * call("sgn", {name(line.name)}));
}

// What is seen beside the motion; now and then a state is set, or the run stops.
void watch(Builder& b) {
  random::Draw& draw = b.draw();
  const int records = draw.integer(1, 2);
  for (int k = 0; k < records; ++k) {
    Event record{.sort = EventSort::record, .name = b.fresh("seen")};
    if (draw.chance(0.6)) {
      record.when = b.condition(2);
      if (draw.chance(0.3)) record.direction = draw.chance(0.5) ? "falling" : "any";
    } else {
      const Term guard = b.continuous() - b.constant(-0.5, 0.5);
      record.when = draw.chance(0.6) ? guard : call("max", {guard, 0.0});
      record.direction = draw.chance(0.5) ? "rising" : "falling";
    }
    const bool may_wait =
        record.direction != "any" && (record.direction.size() > 0 || is_condition(record.when));
    if (may_wait && draw.chance(0.2)) record.initially = draw.chance(0.5) ? "fire" : "wait";
    b.model().events.push_back(record);
  }
  if (draw.chance(0.3)) {
    const Term m = b.discrete("hits", 0);
    b.model().events.push_back(
        {.name = b.fresh("hit"), .when = b.comparison(), .set = {{m.head(), call("mod", {m + 1.0, 4.0})}}});
  }
  if (draw.chance(0.1)) {
    b.model().events.push_back({.sort = EventSort::stop, .name = b.fresh("enough"), .when = b.comparison()});
  }
}

struct NamedPlant {
  const char* name;
  Plant grow;
};

constexpr std::array plants = {NamedPlant{"lags", lag},
                               NamedPlant{"frictions", oscillator},
                               NamedPlant{"tanks", tank},
                               NamedPlant{"anti-windup", anti_windup},
                               NamedPlant{"thermostats", thermostat},
                               NamedPlant{"sampled", sampled},
                               NamedPlant{"counters", counter},
                               NamedPlant{"delayed", delayed},
                               NamedPlant{"balls", ball},
                               NamedPlant{"masses", mass_matrix},
                               NamedPlant{"algebraic", algebraic},
                               NamedPlant{"chains", chain},
                               NamedPlant{"memories", memory},
                               NamedPlant{"locations", locations},
                               NamedPlant{"surfaces", named_surface},
                               NamedPlant{"rows", row}};

}  // namespace

std::vector<std::string> plant_names() {
  std::vector<std::string> names;
  for (const NamedPlant& plant : plants) names.emplace_back(plant.name);
  return names;
}

LanguageModel random_language_model(random::Draw& draw, std::size_t plant) {
  Builder builder(draw);
  builder.model().name = "language";
  builder.model().end = draw.integer(4, 10);
  const auto others = static_cast<std::size_t>(draw.integer(0, 2));
  // A plant may use what stands before it: the chosen plant comes first, last or between others.
  const auto place = static_cast<std::size_t>(draw.integer(0, static_cast<int>(others)));
  for (std::size_t k = 0; k <= others; ++k) {
    const auto drawn = static_cast<std::size_t>(draw.integer(0, static_cast<int>(plants.size()) - 1));
    plants[k == place ? plant : drawn].grow(builder);
  }
  watch(builder);
  return builder.model();
}

}  // namespace slideway::validation::language
