// A sender and the receiver at its other end: where a scout can be in which cycles (Venice §4.2).
//
//   odd_i == PLACE:  2 bytes to send, or complete          odd_i != PLACE:  1 byte to send
//
// PLACE is row + column of the sender, modulo 2: neighbours never decide in the same cycle. Assertions only.
module formal_wire
  import formal_pkg::*;
#(
    parameter bit PLACE = 1'b0
) (
    input logic      rst,
    input logic      odd_i,
    input sender_t   from_i,
    input receiver_t to_i
);
  always_comb if (!rst) begin
    assert (from_i.left <= 2'd2);
    if (from_i.left == 2'd2) assert (sends_scout(from_i) && odd_i == PLACE);
    if (from_i.left == 2'd1 && sends_scout(from_i)) assert (odd_i != PLACE);
    if (to_i.full) assert (odd_i == PLACE && !sends_scout(from_i));
    assert (to_i.count == (from_i.left == 2'd1 && sends_scout(from_i)));
  end
endmodule
