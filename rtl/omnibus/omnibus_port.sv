// A controller's choice of a bus in the Omnibus (Networked SSD §V-B): its row bus if that is free, else the chip's column bus.
//
//   want, column ──┬── row bus free? ──► row
//                  └── else ask that column's arbiter until row or column is had ──► column
//
// Greedy: the first of the two that is free, the row on a tie. One clock; synchronous reset, active high.
module omnibus_port #(
    parameter int COLUMNS = 8,
    localparam int COLUMN_BITS = (COLUMNS <= 2) ? 1 : $clog2(COLUMNS)
) (
    input  logic                   clk,
    input  logic                   rst,
    // A transfer to a chip of this row, until done_i.
    input  logic                   want_i,
    input  logic                   done_i,
    input  logic [COLUMN_BITS-1:0] column_i,
    // The row bus, as seen by everybody on it.
    input  logic                   row_busy_i,
    output logic                   row_o,
    // Arbiters of the column buses.
    output logic [COLUMNS-1:0]     ask_o,
    input  logic [COLUMNS-1:0]     grant_i,
    output logic                   column_o
);
  logic row_q, column_q, has_column;

  assign has_column = grant_i[column_i];
  assign row_o = row_q;
  assign column_o = column_q;

  always_comb begin
    ask_o = '0;
    ask_o[column_i] = want_i && !row_q;
  end

  always_ff @(posedge clk) begin
    if (rst || done_i) begin
      row_q <= 1'b0;
      column_q <= 1'b0;
    end else if (want_i && !row_q && !column_q) begin
      row_q <= !row_busy_i;
      column_q <= row_busy_i && has_column;
    end
  end

`ifdef VENICE_ASSERT
  always_ff @(posedge clk) if (!rst) begin
    assert (!(row_q && column_q));
    if (column_q && want_i) assert (has_column);
  end
`endif
endmodule
