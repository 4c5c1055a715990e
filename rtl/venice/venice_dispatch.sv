// The nearest free controller for a chip, the lowest number first where several are as near (Venice §4.2).
//
//   chip ──► row, column ──► links from each idle controller ──► least
//
// Combinational.
module venice_dispatch #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    // Odd controllers sit at the last column.
    parameter bit ALTERNATING = 1'b0,
    localparam int CHIP_BITS = venice_pkg::bits(ROWS * COLUMNS)
) (
    input  logic [CHIP_BITS-1:0] chip_i,
    input  logic [ROWS-1:0]      idle_i,
    // One bit, or none if no controller is idle.
    output logic [ROWS-1:0]      chosen_o
);
  localparam int FAR_BITS = CHIP_BITS + 1;
  localparam logic [FAR_BITS-1:0] WIDTH = FAR_BITS'(COLUMNS);

  logic [FAR_BITS-1:0] row, column, far, least;

  function automatic logic [FAR_BITS-1:0] apart(input logic [FAR_BITS-1:0] a, input logic [FAR_BITS-1:0] b);
    apart = (a < b) ? b - a : a - b;
  endfunction

  always_comb begin
    row = {1'b0, chip_i} / WIDTH;
    column = {1'b0, chip_i} % WIDTH;
    least = '1;
    chosen_o = '0;
    far = '0;
    for (int c = 0; c < ROWS; c++) begin
      far = apart(row, FAR_BITS'(c)) + apart(column, (ALTERNATING && c % 2 == 1) ? FAR_BITS'(COLUMNS - 1) : '0);
      if (idle_i[c] && far < least) begin
        least = far;
        chosen_o = '0;
        chosen_o[c] = 1'b1;
      end
    end
  end
endmodule
