// Ports on a shortest way: lines 2 to 26 of Algorithm 1 (Venice §4.3).
//
//   destination chip ──► ÷ % columns ──► compare with own row and column ──► Right or Left, Up or Down; neither: here
//
// Combinational.
module venice_minimal #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    localparam int CHIP_BITS = venice_pkg::bits(ROWS * COLUMNS),
    localparam int ROW_BITS = venice_pkg::bits(ROWS),
    localparam int COLUMN_BITS = venice_pkg::bits(COLUMNS)
) (
    input  logic [ROW_BITS-1:0]    row_i,
    input  logic [COLUMN_BITS-1:0] column_i,
    input  logic [CHIP_BITS-1:0]   chip_i,
    // A bit for each port; none where the chip is this router's own.
    output logic [3:0]             minimal_o
);
  import venice_pkg::*;

  localparam logic [CHIP_BITS:0] WIDTH = (CHIP_BITS + 1)'(COLUMNS);
  logic [CHIP_BITS:0] row, column;

  always_comb begin
    row = {1'b0, chip_i} / WIDTH;
    column = {1'b0, chip_i} % WIDTH;
    minimal_o[RIGHT] = column > (CHIP_BITS + 1)'(column_i);
    minimal_o[LEFT] = column < (CHIP_BITS + 1)'(column_i);
    minimal_o[UP] = row > (CHIP_BITS + 1)'(row_i);
    minimal_o[DOWN] = row < (CHIP_BITS + 1)'(row_i);
  end
endmodule
