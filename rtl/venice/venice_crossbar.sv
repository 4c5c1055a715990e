// Circuits through a router: what comes in at one port of a row goes out at its other, either way (Venice §4.2, Fig. 7).
//
//   row: exit 2, entry 1        in 1 ──► out 2        in 2 ──► out 1        exit 4 is the chip's
//
// Scouts are not passed on here. Combinational.
module venice_crossbar (
    // Rows of the reservation table, by their exit.
    input  logic [4:0]                    valid_i,
    input  venice_pkg::port_t [4:0]       entry_i,
    input  venice_pkg::link_t [3:0]       link_i,
    input  venice_pkg::link_t             chip_i,
    output venice_pkg::link_t [3:0]       link_o,
    output venice_pkg::link_t             chip_o
);
  import venice_pkg::*;

  // What comes in of circuits, by port.
  link_t [3:0] in;

  always_comb begin
    in = link_i;
    for (int p = 0; p < PORTS; p++) if (link_i[p].kind == SCOUT) in[p].valid = 1'b0;
  end

  always_comb begin
    for (int x = 0; x < PORTS; x++) begin
      link_o[x] = valid_i[x] ? in[entry_i[x]] : '0;
      for (int e = 0; e < PORTS; e++) if (valid_i[e] && entry_i[e] == 2'(x)) link_o[x] = in[e];
      if (valid_i[4] && entry_i[4] == 2'(x)) link_o[x] = chip_i;
    end
  end

  // Not from the chip's own bytes, so that a chip may answer in the same cycle.
  assign chip_o = valid_i[4] ? in[entry_i[4]] : '0;
endmodule
