"""A step of induction over a circuit of Yosys, with a SAT solver.

AIGER ──► clauses of one cycle, or of two in a row ──► CaDiCaL: can this assertion fail? ──► the next assertion

Proven assertions help with later ones. All hold from reset on if they hold in the first cycle (`holds_first`), and in a
cycle after any in which they held (`holds_next`).
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

TRUE = 1


@dataclass(frozen=True)
class Circuit:
    """Gates, registers and assertions as AIGER numbers them: twice a variable, plus one for its complement.

    A register has its variable, its next value, and its first value (0, 1 or any). `bad` are the assertions'
    complements.
    """

    inputs: list[int]
    registers: list[tuple[int, int, int]]
    bad: list[int]
    gates: list[tuple[int, int, int]]

    @staticmethod
    def read(path: Path) -> "Circuit":
        """Reads an ASCII file (`aag`, AIGER 1.9)."""
        lines = iter(path.read_text().splitlines())
        _, inputs, registers, outputs, gates, bad, *constraints = (int(word) for word in next(lines).split()[1:])
        if any(constraints):
            raise SystemExit(f"{path}: has constraints, expected none")

        def rows(count: int) -> list[list[int]]:
            return [[int(word) for word in next(lines).split()] for _ in range(count)]

        free = [row[0] for row in rows(inputs)]
        held = [(row[0], row[1], row[2] if len(row) > 2 else 0) for row in rows(registers)]
        rows(outputs)
        failing = [row[0] for row in rows(bad)]
        return Circuit(free, held, failing, [(row[0], row[1], row[2]) for row in rows(gates)])

    @cached_property
    def holds_first(self) -> bool:
        clauses = Clauses()
        start = {q: {0: -TRUE, 1: TRUE}.get(first) or clauses.variable() for q, _, first in self.registers}
        return clauses.none_of(clauses.cycle(self, start).failing)

    @cached_property
    def holds_next(self) -> bool:
        clauses = Clauses()
        before = clauses.cycle(self, {q: clauses.variable() for q, _, _ in self.registers})
        for failing in before.failing:
            clauses.add(-failing)
        return clauses.none_of(clauses.cycle(self, before.next).failing)


@dataclass(frozen=True)
class Cycle:
    """Literals of a cycle: the registers' next values, and the complements of the assertions."""

    next: dict[int, int]
    failing: list[int]


class Clauses:
    def __init__(self) -> None:
        from pysat.solvers import Solver

        self._solver: Any = Solver(name="cadical195")
        self._count = TRUE
        self._gates: dict[tuple[int, int], int] = {}
        self.add(TRUE)

    def add(self, *literals: int) -> None:
        self._solver.add_clause(literals)

    def variable(self) -> int:
        self._count += 1
        return self._count

    def cycle(self, circuit: Circuit, registers: dict[int, int]) -> Cycle:
        """Adds the gates of a cycle that begins with these registers; inputs are anything."""
        literal = {0: -TRUE, 1: TRUE}

        def be(number: int, value: int) -> None:
            literal[number], literal[number ^ 1] = value, -value

        for number, value in registers.items():
            be(number, value)
        for number in circuit.inputs:
            be(number, self.variable())
        for number, a, b in circuit.gates:
            be(number, self._both(literal[a], literal[b]))
        following = {q: literal[d] for q, d, _ in circuit.registers}
        return Cycle(following, [literal[bad] for bad in circuit.bad])

    def _both(self, a: int, b: int) -> int:
        if -TRUE in (a, b) or a == -b:
            return -TRUE
        if TRUE in (a, b) or a == b:
            return a if b == TRUE else b
        pair = (min(a, b), max(a, b))
        if pair not in self._gates:
            both = self._gates[pair] = self.variable()
            self.add(-both, a)
            self.add(-both, b)
            self.add(both, -a, -b)
        return self._gates[pair]

    def none_of(self, literals: list[int]) -> bool:
        for literal in literals:
            if literal != -TRUE and self._solver.solve(assumptions=[literal]):
                return False
            self.add(-literal)
        return True
