// Choice of an output: lines 27 to 48 of Algorithm 1 (Venice §4.3), with the rule that a scout takes each output of a router
// once, and a step of the 2-bit linear-feedback shift register (x² + x + 1: 1, 3, 2 and round again).
//
//   free and untried ──┬─ & minimal ── any? ──► those ─┐
//                      └─ not the entry ──────► else ──┴──► first, second or third of them, by the register
//
// The register steps only where there is a choice. Combinational.
module venice_choice (
    input  logic [3:0]          free_i,
    input  logic [3:0]          tried_i,
    input  logic [3:0]          minimal_i,
    input  venice_pkg::port_t   entry_i,
    input  logic [1:0]          lfsr_i,
    // Whether there is an output; if not, the scout goes back by its entry.
    output logic                found_o,
    output venice_pkg::port_t   port_o,
    output logic [1:0]          lfsr_o
);
  import venice_pkg::*;

  logic [3:0] untried, shortest, outputs, second, third, chosen;

  always_comb begin
    untried = free_i & ~tried_i;
    shortest = untried & minimal_i;
    outputs = (shortest != 4'd0) ? shortest : untried & ~(4'd1 << entry_i);
    second = outputs & (outputs - 4'd1);
    third = second & (second - 4'd1);
    found_o = outputs != 4'd0;
    lfsr_o = (second == 4'd0) ? lfsr_i : {lfsr_i[0], lfsr_i[1] ^ lfsr_i[0]};
    chosen = outputs;
    if (second != 4'd0) begin
      if (lfsr_o == 2'd2) chosen = second;
      else if (lfsr_o == 2'd3 && third != 4'd0) chosen = third;
    end
    // The first of the chosen ones.
    casez (chosen)
      4'b???1: port_o = RIGHT;
      4'b??10: port_o = LEFT;
      4'b?100: port_o = UP;
      default: port_o = DOWN;
    endcase
  end
endmodule
