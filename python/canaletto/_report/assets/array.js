"use strict";
// Where the parts of a chip array are drawn: shared by the maps and the animation.
//
// The array is a grid with one cell a chip. A row bus runs below its row (with command pins of its own: a
// thinner line below it), a column bus right of its column, links run
// between neighbours (two directions side by side), a chip's own path on a track of its own below its row. Controllers
// stand west of the array, or east. A trunk of clusters is drawn from its controller to the first switch that hangs on it.

const PITCH = 40;
const CHIP = 24;
const EDGE = 8;

function arrayLayout({ rows, columns, controllers, wires }) {
  const west = controllers.some(([, column]) => column < 0) || wires.some(wire => wire[2] < 0) ? 1 : 0;
  const east = controllers.some(([, column]) => column >= columns) ? 1 : 0;
  const left = column => EDGE + (column + west) * PITCH;
  const top = row => EDGE + row * PITCH;
  const middle = (row, column) => [left(column) + CHIP / 2, top(row) + CHIP / 2];
  const known = new Set(wires.map(wire => wire.slice(1, 5).join()));

  function between(row, column, toRow, toColumn) {
    const [dx, dy] = [Math.sign(toColumn - column), Math.sign(toRow - row)];
    const paired = known.has([toRow, toColumn, row, column].join());
    // Driving on the right: the two directions lie side by side.
    const [sx, sy] = paired ? [-dy * 3.5, dx * 3.5] : [0, 0];
    const [x, y] = middle(row, column);
    const [X, Y] = middle(toRow, toColumn);
    const half = CHIP / 2 + 1;
    if (row === toRow && Math.abs(toColumn - column) > 1) {
      // Past other chips of its row, such as the way back of a ring.
      const below = top(row) + CHIP;
      return { points: [[x, below + 1], [x, below + 7], [X, below + 7], [X, below + 1]], stubs: [], width: 4 };
    }
    return {
      points: [[x + dx * half + sx, y + dy * half + sy], [X - dx * half + sx, Y - dy * half + sy]],
      stubs: [], width: paired ? 3.5 : 5,
    };
  }

  function channel(row, column, toRow, toColumn) {
    const y = top(row) + CHIP + 7;
    const stubs = [];
    for (let at = Math.max(column, 0); at <= Math.min(toColumn, columns - 1); at++) {
      stubs.push([[left(at) + CHIP / 2 - 4, top(row) + CHIP], [left(at) + CHIP / 2 - 4, y]]);
    }
    if (column < 0) stubs.push([[left(column) + CHIP / 2, top(row) + CHIP], [left(column) + CHIP / 2, y]]);
    const begin = column < 0 ? left(column) + CHIP / 2 : left(column);
    return { points: [[begin, y], [left(toColumn) + CHIP / 2, y]], stubs, width: 4 };
  }

  function command_channel(row, column, toRow, toColumn) {
    const { points, stubs } = channel(row, column, toRow, toColumn);
    const lower = ([x, y]) => [x - 5, y === top(row) + CHIP ? y : y + 5];
    return { points: points.map(([x, y], end) => [end ? x : x - 5, y + 5]), stubs: stubs.map(stub => stub.map(lower)), width: 2 };
  }

  function column(row, at, toRow, toColumn) {
    const stubs = [];
    const x = left(at) + CHIP + 7;
    for (let c = at; c <= toColumn; c++) {
      const along = left(c) + CHIP + 7;
      for (let r = row; r <= toRow; r++) stubs.push([[left(c) + CHIP, top(r) + CHIP / 2 - 4], [along, top(r) + CHIP / 2 - 4]]);
      if (c > at) stubs.push([[along, top(row) + 2], [along, top(toRow) + CHIP]], [[along - PITCH, top(row) + 2], [along, top(row) + 2]]);
    }
    return { points: [[x, top(row) + 2], [x, top(toRow) + CHIP]], stubs, width: 4 };
  }

  function path(row, from, toRow, toColumn) {
    const room = PITCH - CHIP - 4;
    const track = Math.min(room / columns, 3);
    const y = top(toRow) + CHIP + 2.5 + (columns - 1 - toColumn) * track;
    const x = left(toColumn) + CHIP / 2;
    const start = left(from) + CHIP / 2;
    return {
      points: [[start, y], [x, y], [x, top(toRow) + CHIP]],
      stubs: [], width: Math.max(Math.min(track * 0.6, 2), 0.4),
    };
  }

  // An inner bus of a switch, below its chips; it may go on in the next row.
  function inner_bus(row, column, toRow, toColumn) {
    const stubs = [];
    const points = [];
    for (let at = row * columns + column; at <= toRow * columns + toColumn; at++) {
      const [r, c] = [Math.floor(at / columns), at % columns];
      const [x, y] = [left(c) + CHIP / 2, top(r) + CHIP + 7];
      stubs.push([[x, top(r) + CHIP], [x, y]]);
      points.push([x, y]);
    }
    const [x, y] = points[0];
    return { points: [[x - CHIP / 2, y], ...points], stubs, width: 4 };
  }

  // Grants to a switch, or to the routers of a row: a thin line to the first chip, or along the row.
  function grant_line(row, column, toRow, toColumn) {
    const y = top(toRow) + CHIP + 12;
    return { points: [[left(column) + CHIP / 2, y], [left(toColumn) + CHIP / 2, y]], stubs: [], width: 2 };
  }

  const draw = { channel, command_channel, column, path, inner_bus, grant_line };
  return {
    width: EDGE * 2 + (columns + west + east) * PITCH - (PITCH - CHIP) + 14,
    height: EDGE * 2 + rows * PITCH - (PITCH - CHIP) + 14,
    left, top, middle,
    wires: wires.map(wire => (draw[wire[0]] ?? between)(...wire.slice(1, 5))),
  };
}

function lengthOf(points) {
  let sum = 0;
  for (let i = 1; i < points.length; i++) sum += Math.hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]);
  return sum;
}

// The point at this share of a line.
function along(points, share) {
  let rest = lengthOf(points) * Math.min(Math.max(share, 0), 1);
  for (let i = 1; i < points.length; i++) {
    const [[x, y], [X, Y]] = [points[i - 1], points[i]];
    const length = Math.hypot(X - x, Y - y);
    if (rest <= length) return [x + ((X - x) * rest) / (length || 1), y + ((Y - y) * rest) / (length || 1)];
    rest -= length;
  }
  return points[points.length - 1];
}

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
