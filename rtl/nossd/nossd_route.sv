// The way of a packet: along the row first, then along the column (Venice §3.2). To the chip where neither is left.
//
//   destination ──► ÷ % columns ──► compare ──► Right, Left │ Up, Down │ chip
//
// Combinational.
module nossd_route #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    localparam int ROW_BITS = nossd_pkg::bits(ROWS),
    localparam int COLUMN_BITS = nossd_pkg::bits(COLUMNS)
) (
    input  logic [ROW_BITS-1:0]    row_i,
    input  logic [COLUMN_BITS-1:0] column_i,
    // A chip; the highest bit set: the controller of a row, at the Left port of its first column.
    input  logic [7:0]             destination_i,
    output nossd_pkg::port_t       port_o
);
  import nossd_pkg::*;

  logic [7:0] row, column;
  logic       to_controller;

  always_comb begin
    to_controller = destination_i[7];
    row = to_controller ? {1'b0, destination_i[6:0]} : destination_i / 8'(COLUMNS);
    column = to_controller ? 8'd0 : destination_i % 8'(COLUMNS);
    if (column > 8'(column_i)) port_o = RIGHT;
    else if (column < 8'(column_i)) port_o = LEFT;
    else if (row > 8'(row_i)) port_o = UP;
    else if (row < 8'(row_i)) port_o = DOWN;
    else port_o = to_controller ? LEFT : CHIP;
  end
endmodule
