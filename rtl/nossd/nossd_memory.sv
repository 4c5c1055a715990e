// Memory of a buffer (Venice §3.2: 16 KB): a port to write and one to read, whose byte is there a cycle later. A macro in a real chip.
//
//   write, at, byte ──► memory ──► byte read, at, a cycle ago
//
// One clock; what it holds is not reset.
module nossd_memory #(
    parameter int BYTES = 16384,
    localparam int BITS = $clog2(BYTES)
) (
    input  logic            clk,
    input  logic            write_i,
    input  logic [BITS-1:0] write_at_i,
    input  logic [7:0]      data_i,
    input  logic            read_i,
    input  logic [BITS-1:0] read_at_i,
    output logic [7:0]      data_o
);
  logic [7:0] memory[BYTES];

  always_ff @(posedge clk) begin
    if (write_i) memory[write_at_i] <= data_i;
    if (read_i) data_o <= memory[read_at_i];
  end
endmodule
