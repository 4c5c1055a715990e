// Buffer of an input port: a ring of bytes in a memory with one port to write and one to read (Venice §3.2: 16 KB).
//
//   in ──► memory ──► its output ──► out         a byte can leave two cycles after it came: cut-through
//
// The byte at the front is at the memory's output, from where it is taken. One clock; synchronous reset, active high.
module nossd_buffer #(
    parameter int BYTES = 16384,
    localparam int BITS = $clog2(BYTES)
) (
    input  logic       clk,
    input  logic       rst,
    input  logic       valid_i,
    input  logic [7:0] data_i,
    output logic       valid_o,
    output logic [7:0] data_o,
    input  logic       take_i
);
  logic [BITS-1:0] head_q, tail_q;
  logic [BITS:0]   count_q;
  logic            front_q;
  logic            fetch;

  // Bytes in the memory, the one at its output not counted.
  assign fetch = count_q != '0 && (!front_q || take_i);
  assign valid_o = front_q;

  nossd_memory #(.BYTES(BYTES)) ring (
      .clk, .write_i(valid_i), .write_at_i(tail_q), .data_i, .read_i(fetch), .read_at_i(head_q), .data_o
  );

  always_ff @(posedge clk) begin
    if (rst) begin
      head_q <= '0;
      tail_q <= '0;
      count_q <= '0;
      front_q <= 1'b0;
    end else begin
      if (valid_i) tail_q <= tail_q + BITS'(1);
      if (fetch) head_q <= head_q + BITS'(1);
      count_q <= count_q + (BITS + 1)'(valid_i) - (BITS + 1)'(fetch);
      front_q <= fetch || (front_q && !take_i);
    end
  end

`ifdef VENICE_ASSERT
  always_ff @(posedge clk) if (!rst) begin
    assert (!(valid_i && !fetch && count_q == (BITS + 1)'(BYTES)));
    if (take_i) assert (front_q);
  end
`endif
endmodule
