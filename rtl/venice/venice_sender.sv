// Output register of a port: a byte of a circuit, or a scout packet byte by byte (Venice §4.2).
//
//   packet ──┐
//            ├──► register ──► link (its first byte) ──► shift
//   byte  ───┘
//
// One clock; synchronous reset, active high.
module venice_sender #(
    parameter int FLIT_BITS = 8,
    localparam int PACKET_BITS = 2 * FLIT_BITS
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   send_i,
    input  logic [PACKET_BITS-1:0] packet_i,
    // What is to be passed on of a circuit, if it is valid.
    input  venice_pkg::link_t      circuit_i,
    output venice_pkg::link_t      link_o
);
  import venice_pkg::*;

  localparam int BYTES = PACKET_BITS / 8;
  localparam int COUNT_BITS = bits(BYTES + 1);

  logic [PACKET_BITS-1:0] packet_q;
  logic [COUNT_BITS-1:0]  left_q;
  kind_t                  kind_q;

  assign link_o = '{valid: left_q != '0, kind: kind_q, data: packet_q[PACKET_BITS-1-:8]};

  always_ff @(posedge clk) begin
    if (rst) left_q <= '0;
    else if (send_i) left_q <= COUNT_BITS'(BYTES);
    else if (circuit_i.valid) left_q <= COUNT_BITS'(1);
    else if (left_q != '0) left_q <= left_q - COUNT_BITS'(1);

    if (send_i) begin
      packet_q <= packet_i;
      kind_q <= SCOUT;
    end else if (circuit_i.valid) begin
      packet_q <= {circuit_i.data, packet_q[PACKET_BITS-9:0]};
      kind_q <= circuit_i.kind;
    end else begin
      packet_q <= {packet_q[PACKET_BITS-9:0], 8'd0};
    end
  end
endmodule
