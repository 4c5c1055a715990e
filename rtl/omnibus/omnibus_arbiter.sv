// Control plane of one column bus of the Omnibus (Networked SSD §V-B): controllers ask for it, one has it until it gives it back.
//
//   ask ──► round robin, if nobody has it ──► grant ──► held until ask falls
//
// One clock; synchronous reset, active high.
module omnibus_arbiter #(
    parameter int CONTROLLERS = 8
) (
    input  logic                   clk,
    input  logic                   rst,
    // A controller asks until it is done.
    input  logic [CONTROLLERS-1:0] ask_i,
    output logic [CONTROLLERS-1:0] grant_o
);
  // Who has it; those behind the last that had it.
  logic [CONTROLLERS-1:0] grant_q, behind_q, ahead, from, next;

  always_comb begin
    ahead = ask_i & behind_q;
    from = (ahead != '0) ? ahead : ask_i;
    next = ((grant_q & ask_i) != '0) ? grant_q : from & (~from + CONTROLLERS'(1));
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      grant_q <= '0;
      behind_q <= '0;
    end else begin
      grant_q <= next;
      if (next != '0) behind_q <= ~((next - CONTROLLERS'(1)) | next);
    end
  end

  assign grant_o = grant_q & ask_i;

`ifdef VENICE_ASSERT
  always_ff @(posedge clk) if (!rst) assert ((grant_q & (grant_q - CONTROLLERS'(1))) == '0);
`endif
endmodule
