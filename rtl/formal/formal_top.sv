// Proof that links are used by one scout or circuit at a time, and that nothing in the network waits for ever (Venice §4.2, §4.3).
//
//   any requests, retries, lengths ──► venice_ssd ──► its registers by link and controller ──► what is true of every state
//
//   formal_wire      a scout is at certain places in certain cycles
//   formal_link      a row leads to the next one; where rows end, the scout is on its way, or the chip
//   formal_edge      a controller, its scout and its circuit agree
//   formal_search    a packet has one scout and a bounded number of decisions
//
// All assertions together are an invariant: if they hold in a cycle, they hold in the next, from any state. So those of the modules
// (rtl/venice, VENICE_ASSERT) hold for ever.
//
// The first cycle is a reset, from any state. Scout flits of one byte; transfers without command cycles. Inputs are anything.
module formal_top #(
    parameter int ROWS = 2,
    parameter int COLUMNS = 2,
    localparam int CHIPS = ROWS * COLUMNS,
    localparam int CHIP_BITS = venice_pkg::bits(CHIPS),
    localparam int ID_BITS = venice_pkg::bits(ROWS)
) (
    input logic                 clk,
    input logic                 immediate_i,
    input logic [ROWS-1:0]      retry_i,
    input logic                 start_i,
    input logic [CHIP_BITS-1:0] chip_i,
    input logic [15:0]          bytes_i,
    input logic                 is_read_i
);
  import venice_pkg::*;
  import formal_pkg::*;

  // ---- Surroundings: reset, requests for chips that have none under way, chips that answer strobes ----
  logic first_q = 1'b1;
  wire rst = first_q;
  always_ff @(posedge clk) first_q <= 1'b0;

  logic [ROWS-1:0]                started_o, idle_o, searching_o, waiting_o, transferring_o, done_o, taken_o, data_valid_o;
  logic [ROWS-1:0][7:0]           data_o;
  link_t [CHIPS-1:0]              flash_i, flash_o;
  logic [ROWS-1:0][CHIP_BITS-1:0] chip_q;
  logic                           is_free;

  always_comb begin
    is_free = int'(chip_i) < CHIPS && bytes_i != 16'd0;
    for (int i = 0; i < ROWS; i++) if (!idle_o[i] && chip_q[i] == chip_i) is_free = 1'b0;
  end
  always_ff @(posedge clk) for (int i = 0; i < ROWS; i++) if (started_o[i]) chip_q[i] <= chip_i;
  for (genvar n = 0; n < CHIPS; n++) begin : flash
    assign flash_i[n] = '{valid: flash_o[n].valid && flash_o[n].kind == STROBE, kind: DATA, data: 8'd0};
  end

  venice_ssd #(.ROWS(ROWS), .COLUMNS(COLUMNS)) ssd (.*, .start_i(start_i && is_free), .commands_i(16'd0), .data_i('0));

  // ---- Registers ----
  sender_t      [CHIPS-1:0][3:0]           sender;
  receiver_t    [CHIPS-1:0][3:0]           receiver;
  router_port_t [CHIPS-1:0][3:0]           ports;
  controller_t  [ROWS-1:0]                 controllers;
  scout_t       [ROWS-1:0]                 departs;
  logic         [ROWS-1:0][CHIPS-1:0][3:0] tried, decided;
  logic         [CHIPS-1:0]                ends;
  id_t          [CHIPS-1:0]                at_chip;

  function automatic scout_t scout(input sender_t from, input receiver_t to);
    logic [15:0] packet;
    scout.phase = to.full ? 2'd2 : (from.left == 2'd1) ? 2'd1 : 2'd0;
    case (scout.phase)
      2'd2: packet = to.packet;
      2'd1: packet = {to.packet[7:0], from.packet[15:8]};
      default: packet = from.packet;
    endcase
    scout.valid = to.full || sends_scout(from);
    scout.reserve = packet[14];
    scout.chip = chip_t'(packet[13-:CHIP_BITS]);
    scout.id = id_t'(packet[5-:ID_BITS]);
    scout.links = links_t'({packet[5-ID_BITS:0], packet[13:8]});
  endfunction

  for (genvar i = 0; i < ROWS; i++) begin : g_controller
    localparam int N = i * COLUMNS;
    logic [7:0] decisions_q;
    links_t     length_q;
    always_ff @(posedge clk) begin
      if (ssd.controller[i].side.full) length_q <= links_t'(ssd.controller[i].side.links);
      if (controllers[i].state != SEARCH || controllers[i].receiver.full) decisions_q <= '0;
      else decisions_q <= decisions_q + 8'(decided[i] != '0);
    end
    assign controllers[i] = '{
        state: ssd.controller[i].side.state_q, clear: ssd.controller[i].side.clear_q, is_read: ssd.controller[i].side.is_read_q,
        chip: chip_t'(chip_q[i]), to_go: ssd.controller[i].side.to_go_q, unsent: cycles_t'(ssd.controller[i].side.left_q),
        length: length_q, age: 8'(ssd.controller[i].side.age_q), decisions: decisions_q,
        sender: '{left: ssd.controller[i].side.sender.left_q, kind: ssd.controller[i].side.sender.kind_q,
                  packet: ssd.controller[i].side.sender.packet_q},
        receiver: '{full: ssd.controller[i].side.full, count: ssd.controller[i].side.receiver.count_q,
                    packet: ssd.controller[i].side.packet}
    };
    assign departs[i] = scout(controllers[i].sender, receiver[N][LEFT]);

    formal_wire #(.PLACE(1'((i + 1) % 2))) departing (.rst, .odd_i(ssd.odd_q), .from_i(controllers[i].sender), .to_i(receiver[N][LEFT]));
    formal_edge #(.ID(i)) edge_of (.rst, .controller_i(controllers[i]), .departs_i(departs[i]), .port_i(ports[N][LEFT]));
    formal_search #(.CHIPS(CHIPS), .ID(i)) search (
        .rst, .controller_i(controllers[i]), .departs_i(departs[i]), .ports_i(ports), .tried_i(tried[i]),
        .ends_i(ends), .at_chip_i(at_chip)
    );

    // Requests are as they are assumed to be.
    always_comb if (!rst) begin
      assert (ssd.controller[i].side.age_q < 256);
      if (!idle_o[i]) begin
        assert (chip_q[i] == ssd.controller[i].side.chip_q && int'(chip_q[i]) < CHIPS);
        assert (ssd.controller[i].side.commands_q == '0 && ssd.controller[i].side.bytes_q != '0);
      end
      for (int o = 0; o < i; o++) assert (idle_o[i] || idle_o[o] || chip_q[i] != chip_q[o]);
    end
  end

  for (genvar r = 0; r < ROWS; r++) begin : row
    for (genvar c = 0; c < COLUMNS; c++) begin : column
      localparam int N = r * COLUMNS + c;
      localparam bit [3:0] LINKED = {r > 0, r < ROWS - 1, c > 0, c < COLUMNS - 1};
      wire [4:0] valid = ssd.array.row[r].column[c].router.valid_q;
      wire [4:0][ID_BITS-1:0] id = ssd.array.row[r].column[c].router.id_q;
      wire [4:0][1:0] entry = ssd.array.row[r].column[c].router.entry_q;
      assign ends[N] = valid[4];
      assign at_chip[N] = id_t'(id[4]);

      for (genvar p = 0; p < 4; p++) begin : port
        // Router and port at the other end.
        localparam int M = (p == RIGHT) ? N + 1 : (p == LEFT) ? N - 1 : (p == UP) ? N + COLUMNS : N - COLUMNS;
        localparam int Q = p ^ 1;
        wire next_valid = ssd.array.row[r].column[c].router.valid_d[p];
        wire returning = ssd.array.row[r].column[c].router.returning[p];
        receiver_t other;
        scout_t    comes;
        logic      passed_q;
        links_t    far_q;

        assign sender[N][p] = '{left: ssd.array.row[r].column[c].router.g_out[p].sender.left_q,
                                kind: ssd.array.row[r].column[c].router.g_out[p].sender.kind_q,
                                packet: ssd.array.row[r].column[c].router.g_out[p].sender.packet_q};
        assign receiver[N][p] = '{full: ssd.array.row[r].column[c].router.full[p],
                                  count: ssd.array.row[r].column[c].router.g_port[p].receiver.count_q,
                                  packet: ssd.array.row[r].column[c].router.packet[p]};
        if (LINKED[p]) begin : g_far
          assign other = receiver[M][Q];
          assign comes = ports[M][Q].leaves;
          formal_link #(.ROWS(ROWS)) link (.rst, .a_i(ports[N][p]), .b_i(ports[M][Q]), .controllers_i(controllers));
        end else if (p == LEFT) begin : g_far
          assign other = controllers[r].receiver;
          assign comes = departs[r];
        end else begin : g_far
          assign other = '0;
          assign comes = '0;
          always_comb if (!rst) assert (!valid[p] && !ports[N][p].enters && !receiver[N][p].full && !receiver[N][p].count);
          always_comb if (!rst) assert (sender[N][p].left == 2'd0);
        end
        formal_wire #(.PLACE(1'((r + c) % 2))) leaving (.rst, .odd_i(ssd.odd_q), .from_i(sender[N][p]), .to_i(other));

        always_ff @(posedge clk) begin
          passed_q <= !rst && next_valid && valid[p] && (passed_q || returning);
          if (returning) far_q <= comes.links;
        end

        always_comb begin
          ports[N][p] = '0;
          ports[N][p].held = valid[p];
          ports[N][p].holder = id_t'(id[p]);
          ports[N][p].passed = passed_q;
          ports[N][p].counted = far_q;
          ports[N][p].leaves = scout(sender[N][p], other);
          ports[N][p].is_byte = sender[N][p].left != 2'd0 && sender[N][p].kind != SCOUT;
          ports[N][p].kind = sender[N][p].kind;
          ports[N][p].beyond = 11'd1;
          for (int x = 0; x < 5; x++) if (valid[x] && entry[x] == 2'(p)) begin
            ports[N][p].enters = 1'b1;
            ports[N][p].entrant = id_t'(id[x]);
            if (x == 4) ports[N][p].to_chip = 1'b1;
            else begin
              ports[N][p].onward = ports[N][x].passed;
              ports[N][p].beyond = ports[N][x].counted + 11'd1;
            end
          end
        end
        for (genvar i = 0; i < ROWS; i++) begin : g_id
          assign decided[i][N][p] = receiver[N][p].full && comes.id == id_t'(i);
          assign tried[i][N][p] = ssd.array.row[r].column[c].router.tried_q[i][p];
        end
      end

      // A row's way in is its own, and not its way out.
      always_comb if (!rst) begin
        assert (ssd.array.row[r].column[c].router.lfsr_q != 2'd0);
        for (int x = 0; x < 5; x++) for (int y = 0; y < x; y++) assert (!(valid[x] && valid[y] && entry[x] == entry[y]));
        for (int x = 0; x < 4; x++) for (int y = 0; y < 4; y++) assert (!(valid[x] && valid[y] && entry[x] == 2'(y)));
      end
    end
  end
endmodule
