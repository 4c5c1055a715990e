// Receiver of scout packets at a port (Venice §4.2, Fig. 6).
//
//   link ──► shift register of both flits ──► full: for one cycle, the packet is complete
//
// One clock; synchronous reset, active high.
module venice_receiver #(
    parameter int FLIT_BITS = 8,
    localparam int PACKET_BITS = 2 * FLIT_BITS
) (
    input  logic                   clk,
    input  logic                   rst,
    input  venice_pkg::link_t      link_i,
    output logic                   full_o,
    // Header flit, then tail flit.
    output logic [PACKET_BITS-1:0] packet_o
);
  import venice_pkg::*;

  localparam int BYTES = PACKET_BITS / 8;
  localparam int COUNT_BITS = bits(BYTES);

  logic [PACKET_BITS-1:0] packet_q;
  logic [COUNT_BITS-1:0]  count_q;
  logic                   full_q;
  logic                   is_scout, is_last;

  assign is_scout = link_i.valid && link_i.kind == SCOUT;
  assign is_last = count_q == COUNT_BITS'(BYTES - 1);
  assign full_o = full_q;
  assign packet_o = packet_q;

  always_ff @(posedge clk) begin
    if (rst) begin
      count_q <= '0;
      full_q <= 1'b0;
    end else begin
      full_q <= is_scout && is_last;
      if (is_scout) count_q <= is_last ? '0 : count_q + COUNT_BITS'(1);
    end
    if (is_scout) packet_q <= {packet_q[PACKET_BITS-9:0], link_i.data};
  end
endmodule
