// A controller and the port of its router: its scout departs, comes back, and its circuit begins here (Venice §4.2).
//
//   controller ──► departs ──► port: row with this entry ──► …          back, or failed ◄── leaves
//
// Assertions only.
module formal_edge
  import formal_pkg::*;
#(
    parameter int ID = 0
) (
    input logic         rst,
    input controller_t  controller_i,
    input scout_t       departs_i,
    input router_port_t port_i
);
  scout_t back;
  logic   returned, is_searching, is_transferring, sends_byte;

  assign back = port_i.leaves;
  assign returned = port_i.onward || port_i.to_chip;
  assign is_searching = controller_i.state == SEARCH;
  assign is_transferring = controller_i.state == TRANSFER;
  assign sends_byte = controller_i.sender.left != 2'd0 && !sends_scout(controller_i.sender);

  always_comb if (!rst) begin
    assert (controller_i.state <= TRANSFER);
    assert (is_transferring == (controller_i.to_go != '0));

    // The row with this entry is the controller's; it is there once the scout has been decided about, until it fails.
    if (port_i.enters) assert (port_i.entrant == id_t'(ID) && (is_searching || is_transferring));
    if (departs_i.valid) assert (!port_i.enters);
    if (departs_i.valid) assert (departs_i.reserve && departs_i.id == id_t'(ID) && departs_i.chip == controller_i.chip);
    if (back.valid) assert (back.id == id_t'(ID) && back.reserve == port_i.enters);
    if (back.valid && back.reserve) assert (returned && back.links == port_i.beyond);

    // Time of a search.
    if (!is_searching) assert (controller_i.age == '0);
    if (departs_i.valid) assert (controller_i.decisions == '0 && controller_i.age == 8'(departs_i.phase));

    // Ports tried and links held are forgotten as a scout departs, and at the end of a transfer.
    if (controller_i.sender.left == 2'd2) assert (controller_i.clear);
    if (controller_i.clear) assert (is_transferring || (is_searching && controller_i.sender.left == 2'd2));
    if (is_transferring) assert (controller_i.clear == (controller_i.to_go == 18'd1));

    // A transfer has a circuit whose length the controller knows, and lasts until what was sent has crossed.
    if (is_transferring) assert (port_i.enters && returned && controller_i.length == port_i.beyond && controller_i.length < 11'd64);
    if (sends_byte)
      assert (is_transferring && controller_i.is_read == (controller_i.sender.kind == venice_pkg::STROBE) &&
              controller_i.to_go >= crossing(controller_i));
    if (controller_i.unsent != '0)
      assert (is_transferring && controller_i.to_go >= controller_i.unsent + crossing(controller_i));
    if (port_i.is_byte) assert (is_transferring && controller_i.is_read && port_i.kind == venice_pkg::DATA);
  end
endmodule
