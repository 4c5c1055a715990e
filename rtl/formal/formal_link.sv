// A link between two routers, seen from one end: who holds it, and what is on it (Venice §4.2, Fig. 7).
//
//   A: row by this exit ──► B: row with this entry          bytes and scouts both ways
//
// Each link has two of these, one for either end. Assertions only.
module formal_link
  import formal_pkg::*;
#(
    parameter int ROWS = 2
) (
    input logic                   rst,
    input router_port_t           a_i,
    input router_port_t           b_i,
    input controller_t [ROWS-1:0] controllers_i
);
  scout_t there, back;
  assign there = a_i.leaves;
  assign back = b_i.leaves;

  always_comb if (!rst) begin
    // Exclusive use.
    assert (!(a_i.held && b_i.held));

    // Rows hang together: A's goes on in B, or the scout is between them. Nothing enters B that A does not send.
    if (b_i.enters) assert (a_i.held && a_i.holder == b_i.entrant);
    if (a_i.held && !b_i.enters)
      assert ((there.valid && there.reserve && there.id == a_i.holder) || (back.valid && !back.reserve && back.id == a_i.holder));

    // A scout that reserves goes over its own row: A's on its way to the chip, B's on its way back from there.
    if (there.valid && there.reserve) begin
      assert ((a_i.held && a_i.holder == there.id) || (b_i.held && b_i.holder == there.id));
      if (a_i.held) assert (!b_i.enters);
      if (b_i.held) assert (a_i.enters && a_i.entrant == there.id);
    end
    // One that goes back gives up B's row, and A has none that leads there.
    if (there.valid && !there.reserve) assert (b_i.held && b_i.holder == there.id && !a_i.enters);

    // The scout's return, and what it counts.
    if (back.valid && back.reserve && a_i.held) assert ((b_i.onward || b_i.to_chip) && back.links == b_i.beyond);
    if (b_i.onward) assert (a_i.passed || (back.valid && back.reserve));
    if (a_i.passed) begin
      assert (a_i.held && b_i.enters && (b_i.onward || b_i.to_chip) && !there.valid && !back.valid);
      assert (a_i.counted == b_i.beyond && a_i.counted < 11'd64);
    end

    // A byte is on a circuit whose transfer lasts until it has crossed.
    if (a_i.is_byte) assert (a_i.passed || b_i.passed);
    for (int i = 0; i < ROWS; i++) begin
      // On its way to the chip; on its way back from there.
      if (a_i.is_byte && a_i.held && a_i.holder == id_t'(i)) begin
        assert (controllers_i[i].state == TRANSFER && controllers_i[i].is_read == (a_i.kind == venice_pkg::STROBE));
        assert (controllers_i[i].to_go >= cycles_t'(a_i.counted) + (controllers_i[i].is_read ? cycles_t'(controllers_i[i].length) : '0));
      end
      if (a_i.is_byte && b_i.held && b_i.holder == id_t'(i)) begin
        assert (controllers_i[i].state == TRANSFER && controllers_i[i].is_read && a_i.kind == venice_pkg::DATA);
        assert (controllers_i[i].to_go + cycles_t'(b_i.counted) >= cycles_t'(controllers_i[i].length) + 18'd1);
      end
    end
  end
endmodule
