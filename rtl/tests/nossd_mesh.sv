// A mesh of 2 x 2 NoSSD routers with small buffers, for the tests (Venice §3.2).
//
//   controller 1 ── router 2 ── router 3
//                      │           │          each router with its chip
//   controller 0 ── router 0 ── router 1
//
// One clock; synchronous reset, active high.
module nossd_mesh (
    input  logic                   clk,
    input  logic                   rst,
    // Chips of the four routers.
    input  nossd_pkg::link_t [3:0] chip_i,
    output nossd_pkg::link_t [3:0] chip_o,
    // Controllers of the two rows.
    input  nossd_pkg::link_t [1:0] controller_i,
    output nossd_pkg::link_t [1:0] controller_o
);
  import nossd_pkg::*;

  link_t [3:0][4:0] in, out;

  for (genvar r = 0; r < 4; r++) begin : g_router
    nossd_router #(.ROWS(2), .COLUMNS(2), .BUFFER(64)) router (
        .clk, .rst, .row_i(1'(r / 2)), .column_i(1'(r % 2)), .link_i(in[r]), .link_o(out[r])
    );
    assign in[r][RIGHT] = (r % 2 == 0) ? out[r+1-2*(r%2)][LEFT] : '0;
    assign in[r][LEFT] = (r % 2 == 1) ? out[r-1+2*(1-r%2)][RIGHT] : controller_i[r/2];
    assign in[r][UP] = (r < 2) ? out[(r+2)%4][DOWN] : '0;
    assign in[r][DOWN] = (r >= 2) ? out[(r+2)%4][UP] : '0;
    assign in[r][CHIP] = chip_i[r];
    assign chip_o[r] = out[r][CHIP];
  end
  assign controller_o = {out[2][LEFT], out[0][LEFT]};
endmodule
