// Round robin over the inputs that ask for an output (Venice §3.2): the next one after the last that was granted.
//
//   ask ──► from the last on ──► first ──► grant
//
// One clock; synchronous reset, active high.
module nossd_arbiter #(
    parameter int COUNT = 5
) (
    input  logic             clk,
    input  logic             rst,
    input  logic [COUNT-1:0] ask_i,
    // Nothing is granted otherwise.
    input  logic             free_i,
    output logic [COUNT-1:0] grant_o
);
  // Those behind the last one granted.
  logic [COUNT-1:0] behind_q, first;
  logic [COUNT-1:0] ahead;

  always_comb begin
    ahead = ask_i & behind_q;
    first = (ahead != '0) ? ahead : ask_i;
    grant_o = free_i ? first & (~first + COUNT'(1)) : '0;
  end

  always_ff @(posedge clk) begin
    if (rst) behind_q <= '0;
    else if (grant_o != '0) behind_q <= ~((grant_o - COUNT'(1)) | grant_o);
  end

endmodule
