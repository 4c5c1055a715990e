// All of a packet's rows and scouts in the array: there is one scout, and it has a bounded number of hops (Venice §4.3, livelock).
//
//   decisions = 2 × outputs tried - rows held (+ 1 on the way back to an output, or from the chip, + rows passed)
//
// Each bit is a port of a router. Assertions only.
module formal_search
  import formal_pkg::*;
#(
    parameter int CHIPS = 4,
    parameter int ID = 0
) (
    input logic                          rst,
    input controller_t                   controller_i,
    input scout_t                        departs_i,
    input router_port_t [CHIPS-1:0][3:0] ports_i,
    // Outputs that the packet has tried.
    input logic [CHIPS-1:0][3:0]         tried_i,
    // Circuits to chips, and their packets.
    input logic [CHIPS-1:0]              ends_i,
    input id_t [CHIPS-1:0]               at_chip_i
);
  logic [CHIPS-1:0][3:0] scouts, backing, rows, passed;
  logic [CHIPS-1:0]      own_ends;
  logic                  is_connected, has_departed;

  always_comb begin
    for (int n = 0; n < CHIPS; n++) begin
      own_ends[n] = ends_i[n] && at_chip_i[n] == id_t'(ID);
      for (int p = 0; p < 4; p++) begin
        scouts[n][p] = ports_i[n][p].leaves.valid && ports_i[n][p].leaves.id == id_t'(ID);
        backing[n][p] = scouts[n][p] && !ports_i[n][p].leaves.reserve;
        rows[n][p] = ports_i[n][p].held && ports_i[n][p].holder == id_t'(ID);
        passed[n][p] = rows[n][p] && ports_i[n][p].passed;
      end
    end
    is_connected = own_ends != '0;
    // Its rows are given up in the cycle in which it departs.
    has_departed = controller_i.state == SEARCH && controller_i.sender.left != 2'd2;
  end

  always_comb if (!rst) begin
    // One scout, if it searches.
    assert ($countones({scouts, departs_i.valid}) == ((controller_i.state == SEARCH) ? 1 : 0));
    assert ((rows & ~tried_i) == '0);
    if (has_departed)
      assert (8'($countones(rows)) + controller_i.decisions ==
              8'd2 * 8'($countones(tried_i)) + (is_connected ? 8'd1 + 8'($countones(passed)) : 8'(backing != '0)));
    if (passed != '0) assert (is_connected);

    for (int n = 0; n < CHIPS; n++) begin
      // A scout stops at its chip, so that no row leads on from there.
      if (has_departed || controller_i.state == TRANSFER) assert (!(rows[n] != '0 && controller_i.chip == chip_t'(n)));
      if (own_ends[n]) begin
        assert (controller_i.state == SEARCH || controller_i.state == TRANSFER);
        assert (controller_i.chip == chip_t'(n) && !departs_i.valid);
      end
      for (int p = 0; p < 4; p++) if (scouts[n][p]) begin
        // Three cycles a decision.
        assert (controller_i.age == 8'd3 * controller_i.decisions + 8'(ports_i[n][p].leaves.phase));
        if (rows[n][p] || backing[n][p]) assert (ports_i[n][p].leaves.chip == controller_i.chip);
        if (is_connected) assert (ports_i[n][p].leaves.reserve && !ports_i[n][p].held);
        if (ports_i[n][p].leaves.reserve && !ports_i[n][p].held)
          assert (is_connected && ports_i[n][p].leaves.links == links_t'($countones(passed)) + 11'd1);
      end
    end
  end
endmodule
