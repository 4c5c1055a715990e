// Control plane of an Omnibus of ROWS controllers and COLUMNS column buses (Networked SSD §V-B): what Venice's routers are
// compared with.
//
//   port of each controller ──ask──► arbiter of each column ──grant──► port
//
// One clock; synchronous reset, active high.
module omnibus_control #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    localparam int COLUMN_BITS = (COLUMNS <= 2) ? 1 : $clog2(COLUMNS)
) (
    input  logic                             clk,
    input  logic                             rst,
    input  logic [ROWS-1:0]                  want_i,
    input  logic [ROWS-1:0]                  done_i,
    input  logic [ROWS-1:0][COLUMN_BITS-1:0] column_i,
    input  logic [ROWS-1:0]                  row_busy_i,
    output logic [ROWS-1:0]                  row_o,
    output logic [ROWS-1:0]                  column_o
);
  logic [ROWS-1:0][COLUMNS-1:0] ask, grant;
  logic [COLUMNS-1:0][ROWS-1:0] asked, granted;

  for (genvar r = 0; r < ROWS; r++) begin : g_row
    omnibus_port #(.COLUMNS(COLUMNS)) side (
        .clk, .rst, .want_i(want_i[r]), .done_i(done_i[r]), .column_i(column_i[r]), .row_busy_i(row_busy_i[r]),
        .row_o(row_o[r]), .ask_o(ask[r]), .grant_i(grant[r]), .column_o(column_o[r])
    );
    for (genvar c = 0; c < COLUMNS; c++) begin : g_cross
      assign asked[c][r] = ask[r][c];
      assign grant[r][c] = granted[c][r];
    end
  end
  for (genvar c = 0; c < COLUMNS; c++) begin : g_column
    omnibus_arbiter #(.CONTROLLERS(ROWS)) arbiter (.clk, .rst, .ask_i(asked[c]), .grant_o(granted[c]));
  end
endmodule
