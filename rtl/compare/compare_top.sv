// The drive's network (Venice §4) with everything brought out that is compared with the simulator cycle by cycle.
//
//   requests ──► venice_ssd ──► tables, registers, controllers, scouts that are decided about
//
// Flash chips answer strobes in the same cycle with the byte that the harness offers.
module compare_top #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    parameter bit ALTERNATING = 1'b0,
    localparam int ROUTERS = ROWS * COLUMNS,
    localparam int CHIP_BITS = venice_pkg::bits(ROUTERS)
) (
    input  logic                     clk,
    input  logic                     rst,
    input  logic                     immediate_i,
    input  logic [ROWS-1:0]          retry_i,
    input  logic                     start_i,
    input  logic [CHIP_BITS-1:0]     chip_i,
    input  logic [15:0]              bytes_i,
    input  logic                     is_read_i,
    output logic [ROWS-1:0]          started_o,
    output logic [ROWS-1:0]          idle_o,
    output logic [ROWS-1:0]          searching_o,
    output logic [ROWS-1:0]          waiting_o,
    output logic [ROWS-1:0]          transferring_o,
    // Of each router: 5 rows of valid, packet and entry in a byte each, and the register.
    output logic [ROUTERS-1:0][7:0][7:0] table_o,
    // Of each router's ports: valid, packet.
    output logic [ROUTERS-1:0][3:0][7:0] deciding_o,
    // Bytes at the ports of controllers and chips.
    output logic [ROWS-1:0]          written_o,
    output logic [ROWS-1:0]          read_o,
    output logic [ROWS-1:0][7:0]     read_data_o,
    output logic [ROUTERS-1:0]       chip_written_o,
    output logic [ROUTERS-1:0]       chip_strobed_o,
    output logic [ROUTERS-1:0][7:0]  chip_data_o,
    input  logic [ROWS-1:0][7:0]     data_i,
    input  logic [ROUTERS-1:0][7:0]  chip_data_i
);
  import venice_pkg::*;

  link_t [ROUTERS-1:0] to_chip, from_chip;
  logic [ROWS-1:0] done;

  venice_ssd #(.ROWS(ROWS), .COLUMNS(COLUMNS), .ALTERNATING(ALTERNATING)) ssd (
      .*, .commands_i(16'd0), .done_o(done), .taken_o(written_o), .data_o(read_data_o), .data_valid_o(read_o),
      .flash_i(from_chip), .flash_o(to_chip)
  );

  for (genvar r = 0; r < ROWS; r++) begin : row
    for (genvar c = 0; c < COLUMNS; c++) begin : column
      localparam int N = r * COLUMNS + c;
      for (genvar x = 0; x < 5; x++) begin : exit
        assign table_o[N][x] = ssd.array.row[r].column[c].router.valid_q[x] ?
            {1'b1, 5'(ssd.array.row[r].column[c].router.id_q[x]), ssd.array.row[r].column[c].router.entry_q[x]} : 8'd0;
      end
      assign table_o[N][5] = {6'd0, ssd.array.row[r].column[c].router.lfsr_q};
      assign table_o[N][7:6] = '0;
      for (genvar p = 0; p < 4; p++) begin : port
        assign deciding_o[N][p] = ssd.array.row[r].column[c].router.arrives[p] ?
            {1'b1, 7'(ssd.array.row[r].column[c].router.id[p])} : 8'd0;
      end
      assign chip_written_o[N] = to_chip[N].valid && to_chip[N].kind != STROBE;
      assign chip_strobed_o[N] = to_chip[N].valid && to_chip[N].kind == STROBE;
      assign chip_data_o[N] = to_chip[N].data;
      assign from_chip[N] = '{valid: to_chip[N].valid && to_chip[N].kind == STROBE, kind: DATA, data: chip_data_i[N]};
    end
  end

`ifdef VENICE_MUTANTS
  initial if ($value$plusargs("mutant=%d", venice_pkg::mutant) == 0) venice_pkg::mutant = 0;
`endif

  logic unused;
  assign unused = |done;
endmodule
