// A flash controller's side of the network: scouts, retries, and the transfer over the circuit (Venice §4.2).
//
//   request ──► idle ──► depart ──► search ──┬── circuit ──► transfer ──► idle
//               (in its slot) ▲              │
//                             └──── wait ◄───┴── no way
//
// A scout departs only in its controller's slot, every other cycle. Then neighbouring routers never decide in the same cycle.
// `immediate_i`: a scout that failed is followed by another at once, as printed in §4.2; else `retry_i` lets it go.
//
// Over the circuit go command cycles and data, or read strobes, a byte a cycle. The scout that returns says how many links its
// circuit has, so that the controller knows when the last byte has crossed. Then `clear_o` tears the circuit down.
//
// One clock; synchronous reset, active high.
module venice_controller #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    parameter int ID = 0,
    localparam int CHIP_BITS = venice_pkg::bits(ROWS * COLUMNS)
) (
    input  logic                   clk,
    input  logic                   rst,
    // This cycle is its slot.
    input  logic                   slot_i,
    input  logic                   immediate_i,
    input  logic                   retry_i,
    // A request: `bytes_i` cycles on the wires, of which the first `commands_i` are commands; reads send strobes after them.
    input  logic                   start_i,
    input  logic [CHIP_BITS-1:0]   chip_i,
    input  logic [15:0]            bytes_i,
    input  logic [15:0]            commands_i,
    input  logic                   is_read_i,
    output logic                   idle_o,
    output logic                   searching_o,
    output logic                   waiting_o,
    output logic                   transferring_o,
    // The last cycle of its transfer.
    output logic                   done_o,
    // Flash interface: what is written, a byte whenever `taken_o`, and what was read.
    input  logic [7:0]             data_i,
    output logic                   taken_o,
    output logic [7:0]             data_o,
    output logic                   data_valid_o,
    // Network.
    input  venice_pkg::link_t      link_i,
    output venice_pkg::link_t      link_o,
    output logic                   clear_o
);
  import venice_pkg::*;

  localparam int ID_BITS = bits(ROWS);
  localparam int FLIT_BITS = flit_bits(ROWS * COLUMNS, ROWS);
  localparam int FIELD = FLIT_BITS - 2;
  localparam int UNUSED = FIELD - ID_BITS;
  localparam int PACKET_BITS = 2 * FLIT_BITS;
  localparam int TIME_BITS = 18;

  typedef enum logic [2:0] {IDLE, DEPART, SEARCH, WAIT, TRANSFER} state_t;

  state_t                 state_q, state_d;
  logic [CHIP_BITS-1:0]   chip_q;
  logic [15:0]            bytes_q, commands_q, left_q, left_d;
  logic                   is_read_q, clear_q, clear_d;
  // Cycles until the last byte has crossed.
  logic [TIME_BITS-1:0]   to_go_q, to_go_d;

  logic                   full, back, failed, wants, departs;
  logic [PACKET_BITS-1:0] packet, scout;
  logic [TIME_BITS-1:0]   links;
  logic [CHIP_BITS-1:0]   chip;
  link_t                  byte_out;

  venice_receiver #(.FLIT_BITS(FLIT_BITS)) receiver (.clk, .rst, .link_i, .full_o(full), .packet_o(packet));

  assign back = full && packet[PACKET_BITS-2];
  assign failed = full && !packet[PACKET_BITS-2];
  assign links = TIME_BITS'({packet[UNUSED-1:0], packet[FLIT_BITS+FIELD-1:FLIT_BITS]});

  always_comb begin
    chip = (state_q == IDLE) ? chip_i : chip_q;
    scout = '0;
    scout[PACKET_BITS-1-:2] = 2'b01;
    scout[FLIT_BITS+FIELD-1-:CHIP_BITS] = chip;
    scout[FLIT_BITS-1-:2] = 2'b11;
    scout[FIELD-1-:ID_BITS] = ID_BITS'(ID);
  end

  always_comb begin
    state_d = state_q;
    to_go_d = (to_go_q != '0) ? to_go_q - TIME_BITS'(1) : '0;
    case (state_q)
      IDLE: wants = start_i;
      DEPART: wants = 1'b1;
      SEARCH: wants = failed && (immediate_i || retry_i);
      WAIT: wants = retry_i;
      default: wants = 1'b0;
    endcase
    departs = wants && slot_i;
    if (departs) state_d = SEARCH;
    else if (wants) state_d = DEPART;
    else if (state_q == SEARCH && failed) state_d = WAIT;
    else if (state_q == SEARCH && back) begin
      state_d = TRANSFER;
      // Strobes go there before the data come back.
      to_go_d = TIME_BITS'(bytes_q) + (is_read_q ? links << 1 : links) - TIME_BITS'(1);
    end else if (state_q == TRANSFER && to_go_q == TIME_BITS'(1)) state_d = IDLE;
    clear_d = departs || (state_d == TRANSFER && to_go_d == TIME_BITS'(1));
  end

  // A byte goes out in the cycle in which the scout is back, and in each that follows.
  always_comb begin
    left_d = left_q;
    byte_out = '0;
    if (state_q == SEARCH && back) left_d = bytes_q;
    if (left_d != '0) begin
      byte_out.valid = 1'b1;
      if (bytes_q - left_d < commands_q) byte_out.kind = COMMAND;
      else byte_out.kind = is_read_q ? STROBE : DATA;
      byte_out.data = (byte_out.kind == STROBE) ? 8'd0 : data_i;
      left_d = left_d - 16'd1;
    end
  end

  assign taken_o = byte_out.valid && byte_out.kind != STROBE;

  venice_sender #(.FLIT_BITS(FLIT_BITS)) sender (
      .clk, .rst, .send_i(departs), .packet_i(scout), .circuit_i(byte_out), .link_o
  );

  always_ff @(posedge clk) begin
    if (rst) begin
      state_q <= IDLE;
      clear_q <= 1'b0;
      left_q <= '0;
      to_go_q <= '0;
    end else begin
      state_q <= state_d;
      clear_q <= clear_d;
      left_q <= left_d;
      to_go_q <= to_go_d;
    end
    if (state_q == IDLE && start_i) begin
      chip_q <= chip_i;
      bytes_q <= bytes_i;
      commands_q <= commands_i;
      is_read_q <= is_read_i;
    end
  end

  assign idle_o = state_q == IDLE;
  assign searching_o = state_q == SEARCH || state_q == DEPART;
  assign waiting_o = state_q == WAIT;
  assign transferring_o = state_q == TRANSFER;
  assign done_o = state_q == TRANSFER && to_go_q == TIME_BITS'(1);
  assign clear_o = clear_q;
  assign data_o = link_i.data;
  assign data_valid_o = link_i.valid && link_i.kind == DATA;

`ifdef VENICE_ASSERT
  always_ff @(posedge clk) if (!rst) begin
    if (full) assert (state_q == SEARCH);
    if (full) assert (packet[FIELD-1-:ID_BITS] == ID_BITS'(ID));
    if (data_valid_o) assert (state_q == TRANSFER);
    if (start_i) assert (state_q == IDLE && bytes_i != '0);
    if (state_q == TRANSFER) assert (to_go_q != '0);
  end
  // A scout comes back within two hops for each output of each router, and those of its controller's link.
  localparam int HOP = PACKET_BITS / 8 + 1;
  localparam int MOST_HOPS = 2 * 4 * ROWS * COLUMNS + 2;
  int unsigned age_q;
  always_ff @(posedge clk) begin
    age_q <= (rst || state_q != SEARCH || full) ? 0 : age_q + 1;
    if (!rst) assert (age_q <= HOP * MOST_HOPS);
  end
`endif
endmodule
