// Proof that links are used by one scout or circuit at a time, and that nothing in the network waits for ever (Venice §4.2, §4.3).
//
//   any requests, retries, lengths ──► venice_ssd ──► what is true of every state (assertions of the modules, and those here)
//
// The assertions below are an invariant: if all hold in a cycle, all hold in the next, from any state. So those of the modules
// (rtl/venice, VENICE_ASSERT) hold for ever. In words:
//
// - A controller that searches has exactly one scout; others have none. It moves on every third cycle.
// - Rows of a packet hang together: where one ends, the scout is on its way, or the chip.
// - A scout that returns has passed the rows between it and its chip, and counts them.
// - decisions = 2 × outputs tried - rows held (+ 1 on the way back, + rows passed): a scout has a bounded number of hops.
// - A byte of a circuit has no farther to go than its transfer has cycles left.
//
// The first cycle is a reset, from any state. Scout flits of one byte; transfers without command cycles.
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

  logic first_q = 1'b1;
  wire rst = first_q;
  always_ff @(posedge clk) first_q <= 1'b0;

  logic [ROWS-1:0] started, idle, searching, waiting, transferring, done, taken, data_valid;
  logic [ROWS-1:0][7:0] data;
  link_t [CHIPS-1:0] to_chip, from_chip;
  logic [ROWS-1:0][CHIP_BITS-1:0] chip_q;
  logic is_free, start;

  always_comb begin
    is_free = int'(chip_i) < CHIPS && bytes_i != 16'd0;
    for (int c = 0; c < ROWS; c++) if (!idle[c] && chip_q[c] == chip_i) is_free = 1'b0;
  end
  assign start = start_i && is_free;
  always_ff @(posedge clk) for (int c = 0; c < ROWS; c++) if (started[c]) chip_q[c] <= chip_i;
  for (genvar n = 0; n < CHIPS; n++) begin : flash
    assign from_chip[n] = '{valid: to_chip[n].valid && to_chip[n].kind == STROBE, kind: DATA, data: 8'd0};
  end

  venice_ssd #(.ROWS(ROWS), .COLUMNS(COLUMNS)) ssd (
      .clk, .rst, .immediate_i, .retry_i, .start_i(start), .chip_i, .bytes_i, .commands_i(16'd0), .is_read_i,
      .started_o(started), .idle_o(idle), .searching_o(searching), .waiting_o(waiting), .transferring_o(transferring),
      .done_o(done), .data_i('0), .taken_o(taken), .data_o(data), .data_valid_o(data_valid),
      .flash_i(from_chip), .flash_o(to_chip)
  );

  typedef struct packed {
    logic                 valid;
    logic                 reserve;
    logic [CHIP_BITS-1:0] chip;
    logic [ID_BITS-1:0]   id;
    logic [10:0]          links;
  } token_t;
  function automatic token_t token(input logic valid, input logic [15:0] packet);
    token = '{valid: valid, reserve: packet[14], chip: packet[13-:CHIP_BITS], id: packet[5-:ID_BITS], links: 11'({packet[5-ID_BITS:0], packet[13:8]})};
  endfunction

  // Scouts, by router and port that they leave from, or come to: on the wires, or complete.
  token_t [CHIPS-1:0][3:0] leaves, comes;
  logic [CHIPS-1:0][3:0] held;
  logic [CHIPS-1:0][3:0][ID_BITS-1:0] holder;
  logic [CHIPS-1:0][3:0] goes_on;
  logic [CHIPS-1:0][3:0][ID_BITS-1:0] who;
  logic [CHIPS-1:0] ends;
  logic [CHIPS-1:0][3:0] passed_q, passed_on, goes_to_chip;
  logic [ROWS-1:0][CHIPS*4-1:0] passed;
  logic [ROWS-1:0] connected;
  logic [CHIPS-1:0][3:0][10:0] far_q, far_on;
  logic [ROWS-1:0][10:0] length_q;
  logic [CHIPS-1:0][3:0] bytes;
  logic [CHIPS-1:0][3:0][1:0] kinds;
  logic [ROWS-1:0][17:0] to_go;
  logic [ROWS-1:0] reads;
  logic [ROWS-1:0][7:0] age, decisions_q;
  logic [ROWS-1:0][CHIPS*4-1:0] complete, tries, rows, backing;
  logic [ROWS-1:0][2:0] state;
  for (genvar i = 0; i < ROWS; i++) begin : g_state
    assign age[i] = 8'(ssd.controller[i].side.age_q);
    always_ff @(posedge clk) decisions_q[i] <= (state[i] != 3'd2 || ssd.controller[i].side.full) ? '0 : decisions_q[i] + 8'(complete[i] != '0);
    assign state[i] = ssd.controller[i].side.state_q;
    assign to_go[i] = ssd.controller[i].side.to_go_q;
    assign reads[i] = ssd.controller[i].side.is_read_q;
    always_ff @(posedge clk) if (ssd.controller[i].side.full) length_q[i] <= 11'(ssd.controller[i].side.links);
  end
  logic [CHIPS-1:0][ID_BITS-1:0] at_chip;
  logic [ROWS-1:0][CHIPS*4+ROWS-1:0] places;

  for (genvar r = 0; r < ROWS; r++) begin : row
    for (genvar c = 0; c < COLUMNS; c++) begin : column
      localparam int N = r * COLUMNS + c;
      wire [4:0] valid = ssd.array.row[r].column[c].router.valid_q;
      wire [4:0][ID_BITS-1:0] id = ssd.array.row[r].column[c].router.id_q;
      wire [4:0][1:0] entry = ssd.array.row[r].column[c].router.entry_q;
      assign held[N] = valid[3:0];
      assign holder[N] = id[3:0];
      assign ends[N] = valid[4];
      assign at_chip[N] = id[4];
      for (genvar p = 0; p < 4; p++) begin : port
        wire full = ssd.array.row[r].column[c].router.full[p];
        wire [15:0] got = ssd.array.row[r].column[c].router.packet[p];
        wire [15:0] sent = ssd.array.row[r].column[c].router.g_out[p].sender.packet_q;
        wire [1:0] left = ssd.array.row[r].column[c].router.g_out[p].sender.left_q;
        wire is_scout = ssd.array.row[r].column[c].router.g_out[p].sender.kind_q == SCOUT;
        wire count = ssd.array.row[r].column[c].router.g_port[p].receiver.count_q;
        wire is_byte = left != 2'd0 && !is_scout;
        wire [1:0] kind = ssd.array.row[r].column[c].router.g_out[p].sender.kind_q;
        // Far end.
        wire far_full, far_count;
        wire [15:0] far_got;
        wire far_sends;
        if (p == 0 && c < COLUMNS - 1) begin : g_far
          assign {far_full, far_count, far_got} = {column[c+1].port[1].full, column[c+1].port[1].count, column[c+1].port[1].got};
          assign comes[N][p] = leaves[N+1][1];
        end else if (p == 1 && c > 0) begin : g_far
          assign {far_full, far_count, far_got} = {column[c-1].port[0].full, column[c-1].port[0].count, column[c-1].port[0].got};
          assign comes[N][p] = leaves[N-1][0];
        end else if (p == 2 && r < ROWS - 1) begin : g_far
          assign {far_full, far_count, far_got} = {row[r+1].column[c].port[3].full, row[r+1].column[c].port[3].count, row[r+1].column[c].port[3].got};
          assign comes[N][p] = leaves[N+COLUMNS][3];
        end else if (p == 3 && r > 0) begin : g_far
          assign {far_full, far_count, far_got} = {row[r-1].column[c].port[2].full, row[r-1].column[c].port[2].count, row[r-1].column[c].port[2].got};
          assign comes[N][p] = leaves[N-COLUMNS][2];
        end else if (p == 1) begin : g_far
          assign {far_full, far_count, far_got} = {ssd.controller[r].side.full, ssd.controller[r].side.receiver.count_q, ssd.controller[r].side.packet};
          wire [15:0] c_sent = ssd.controller[r].side.sender.packet_q;
          wire [15:0] c_more = ssd.controller[r].side.left_q;
          wire [1:0] c_kind = ssd.controller[r].side.sender.kind_q;
          wire [1:0] c_left = ssd.controller[r].side.sender.left_q;
          wire c_scout = ssd.controller[r].side.sender.kind_q == SCOUT;
          assign comes[N][p] = token(full || (c_scout && c_left != 2'd0), full ? got : c_left == 2'd1 ? {got[7:0], c_sent[15:8]} : c_sent);
          always_comb if (!rst) begin
            if (leaves[N][p].valid && leaves[N][p].reserve) assert (passed_on[N][p] || goes_to_chip[N][p]);
            if (is_byte) assert (state[r] == 3'd4 && reads[r] && kind == DATA);
            if (c_left != 2'd0 && !c_scout) assert (state[r] == 3'd4 && reads[r] == (c_kind == STROBE) && to_go[r] >= 18'(length_q[r]) + (reads[r] ? 18'(length_q[r]) : 18'd0));
            if (c_more != '0) assert (state[r] == 3'd4 && to_go[r] >= 18'(c_more) + 18'(length_q[r]) + (reads[r] ? 18'(length_q[r]) : 18'd0));
            if (leaves[N][p].valid && leaves[N][p].reserve) assert (leaves[N][p].links == far_on[N][p]);
            if (state[r] == 3'd4) assert (goes_on[N][p] && (passed_on[N][p] || goes_to_chip[N][p]) && length_q[r] == far_on[N][p] && length_q[r] < 11'd64);
            if (state[r] == 3'd4 || (state[r] == 3'd2 && c_left != 2'd2)) for (int m = 0; m < CHIPS; m++)
              for (int x = 0; x < 4; x++) assert (!(held[m][x] && holder[m][x] == ID_BITS'(r) && chip_q[r] == CHIP_BITS'(m)));
            if (comes[N][p].valid) assert (decisions_q[r] == '0 && age[r] == (full ? 8'd2 : c_left == 2'd1 ? 8'd1 : 8'd0));
            if (state[r] == 3'd2 && c_left != 2'd2) assert (8'($countones(rows[r])) + decisions_q[r] == 8'd2 * 8'($countones(tries[r])) + (connected[r] ? 8'd1 + 8'($countones(passed[r])) : 8'(backing[r] != '0)));
            assert ((rows[r] & ~tries[r]) == '0);
            if (state[r] != 3'd2) assert (ssd.controller[r].side.age_q == 0);
            assert (ssd.controller[r].side.age_q < 256);
            assert (c_left != 2'd2 || ssd.controller[r].side.clear_q);
            assert (c_left != 2'd3 && (c_left != 2'd2 || c_scout));
            assert (count == (c_left == 2'd1 && c_scout));
            assert (!(c_left == 2'd2 && ssd.odd_q == 1'((r + c) % 2)));
            assert (!(c_left == 2'd1 && c_scout && ssd.odd_q != 1'((r + c) % 2)));
            assert (!(full && c_left != 2'd0 && c_scout));
            if (comes[N][p].valid) assert (comes[N][p].reserve && comes[N][p].id == ID_BITS'(r) && comes[N][p].chip == chip_q[r]);
            assert (!ssd.controller[r].side.clear_q || state[r] == 3'd4 || (state[r] == 3'd2 && c_left == 2'd2));
            if (leaves[N][p].valid) assert (leaves[N][p].id == ID_BITS'(r));
            if (comes[N][p].valid || (leaves[N][p].valid && !leaves[N][p].reserve)) assert (!goes_on[N][p]);
            if (leaves[N][p].valid && leaves[N][p].reserve) assert (goes_on[N][p]);
            if (goes_on[N][p]) assert (who[N][p] == ID_BITS'(r) && (state[r] == 3'd2 || state[r] == 3'd4));
          end
        end else begin : g_far
          assign {far_full, far_count, far_got} = '0;
          assign comes[N][p] = '0;
          always_comb if (!rst) assert (!valid[p] && !full && !goes_on[N][p] && !count && left == 2'd0);
        end
        assign leaves[N][p] = token(far_full || (is_scout && left != 2'd0), far_full ? far_got : left == 2'd1 ? {far_got[7:0], sent[15:8]} : sent);
        wire [4:0] valid_d = ssd.array.row[r].column[c].router.valid_d;
        wire returning = ssd.array.row[r].column[c].router.returning[p];
        always_ff @(posedge clk) passed_q[N][p] <= !rst && valid_d[p] && valid[p] && (passed_q[N][p] || returning);
        always_ff @(posedge clk) if (returning) far_q[N][p] <= comes[N][p].links;
        assign bytes[N][p] = is_byte;
        assign kinds[N][p] = kind;
        always_comb begin
          passed_on[N][p] = 1'b0;
          far_on[N][p] = 11'd1;
          for (int x = 0; x < 4; x++) if (valid[x] && entry[x] == 2'(p)) begin
            far_on[N][p] = far_q[N][x] + 11'd1;
            if (passed_q[N][x]) passed_on[N][p] = 1'b1;
          end
          goes_to_chip[N][p] = valid[4] && entry[4] == 2'(p);
          goes_on[N][p] = 1'b0;
          who[N][p] = '0;
          for (int x = 0; x < 5; x++) if (valid[x] && entry[x] == 2'(p)) begin
            goes_on[N][p] = 1'b1;
            who[N][p] = id[x];
          end
        end
        for (genvar i = 0; i < ROWS; i++) begin : g_id
          assign complete[i][N*4+p] = full && comes[N][p].id == ID_BITS'(i);
          assign tries[i][N*4+p] = ssd.array.row[r].column[c].router.tried_q[i][p];
          assign rows[i][N*4+p] = held[N][p] && holder[N][p] == ID_BITS'(i);
          assign backing[i][N*4+p] = leaves[N][p].valid && !leaves[N][p].reserve && leaves[N][p].id == ID_BITS'(i);
          assign passed[i][N*4+p] = held[N][p] && passed_q[N][p] && holder[N][p] == ID_BITS'(i);
          assign places[i][N*4+p] = leaves[N][p].valid && leaves[N][p].id == ID_BITS'(i);
          if (p == 1 && c == 0) begin : g_controller
            assign places[i][CHIPS*4+r] = comes[N][p].valid && comes[N][p].id == ID_BITS'(i);
          end
        end
        always_comb if (!rst) begin
          assert (!(full && ssd.odd_q == 1'((r + c) % 2)));
          assert (!(left == 2'd2 && ssd.odd_q != 1'((r + c) % 2)));
          assert (!(left == 2'd1 && is_scout && ssd.odd_q == 1'((r + c) % 2)));
          assert (left != 2'd3 && (left != 2'd2 || is_scout));
          assert (far_count == (left == 2'd1 && is_scout));
          assert (!(far_full && left != 2'd0 && is_scout));
          assert (ssd.array.row[r].column[c].router.lfsr_q != 2'd0);
          // A row's way in is its own, and not its way out.
          for (int x = 0; x < 5; x++) for (int y = 0; y < x; y++) assert (!(valid[x] && valid[y] && entry[x] == entry[y]));
          for (int x = 0; x < 4; x++) assert (!(valid[x] && valid[p] && entry[x] == 2'(p)));
          if (leaves[N][p].valid) begin
            for (int i = 0; i < ROWS; i++) if (leaves[N][p].id == ID_BITS'(i)) assert (age[i] == 8'd3 * decisions_q[i] + (far_full ? 8'd2 : left == 2'd1 ? 8'd1 : 8'd0));
            for (int i = 0; i < ROWS; i++) if (leaves[N][p].id == ID_BITS'(i) && (held[N][p] || !leaves[N][p].reserve)) assert (leaves[N][p].chip == chip_q[i]);
          end
        end
        if ((p == 0 && c < COLUMNS - 1) || (p == 2 && r < ROWS - 1)) begin : g_link
          localparam int M = p == 0 ? N + 1 : N + COLUMNS;
          for (genvar e = 0; e < 2; e++) begin : g_end
            localparam int A = e == 0 ? N : M;
            localparam int B = e == 0 ? M : N;
            localparam int PA = e == 0 ? p : p + 1;
            localparam int PB = e == 0 ? p + 1 : p;
            wire token_t f = leaves[A][PA];
            wire token_t b = leaves[B][PB];
            always_comb if (!rst) begin
              assert (!(held[A][PA] && held[B][PB]));
              if (f.valid && f.reserve) assert ((held[A][PA] && holder[A][PA] == f.id) || (held[B][PB] && holder[B][PB] == f.id));
              if (f.valid && !f.reserve) assert (held[B][PB] && holder[B][PB] == f.id && !goes_on[A][PA]);
              if (f.valid && f.reserve && held[A][PA]) assert (!goes_on[B][PB]);
              if (f.valid && f.reserve && held[B][PB]) assert (goes_on[A][PA] && who[A][PA] == f.id);
              if (b.valid && b.reserve && held[A][PA]) assert (b.links == far_on[B][PB]);
              if (passed_q[A][PA]) assert (far_q[A][PA] == far_on[B][PB] && far_q[A][PA] < 11'd64);
              if (bytes[A][PA]) assert (passed_q[A][PA] || passed_q[B][PB]);
              if (bytes[A][PA] && held[A][PA]) for (int i = 0; i < ROWS; i++) if (holder[A][PA] == ID_BITS'(i))
                assert (state[i] == 3'd4 && reads[i] == (kinds[A][PA] == STROBE) && to_go[i] >= 18'(far_q[A][PA]) + (reads[i] ? 18'(length_q[i]) : 18'd0));
              if (bytes[A][PA] && held[B][PB]) for (int i = 0; i < ROWS; i++) if (holder[B][PB] == ID_BITS'(i))
                assert (state[i] == 3'd4 && reads[i] && kinds[A][PA] == DATA && to_go[i] + 18'(far_q[B][PB]) >= 18'(length_q[i]) + 18'd1);
              if (passed_q[A][PA]) assert (held[A][PA]);
              if (passed_q[A][PA]) assert (goes_on[B][PB] && (passed_on[B][PB] || goes_to_chip[B][PB]) && !f.valid && !b.valid);
              if (b.valid && b.reserve && held[A][PA]) assert (passed_on[B][PB] || goes_to_chip[B][PB]);
              if (passed_on[B][PB]) assert (passed_q[A][PA] || (b.valid && b.reserve));
              if (goes_on[B][PB]) assert (held[A][PA] && holder[A][PA] == who[B][PB]);
              if (held[A][PA] && !goes_on[B][PB]) assert ((f.valid && f.reserve && f.id == holder[A][PA]) || (b.valid && !b.reserve && b.id == holder[A][PA]));
            end
          end
        end
      end
      always_comb if (!rst && ends[N]) begin
        for (int i = 0; i < ROWS; i++) if (at_chip[N] == ID_BITS'(i)) begin
          assert (!idle[i] && chip_q[i] == CHIP_BITS'(N) && !waiting[i] && state[i] != 3'd1);
          for (int m = 0; m < CHIPS; m++) for (int p = 0; p < 4; p++)
            if (leaves[m][p].valid && leaves[m][p].id == ID_BITS'(i)) assert (leaves[m][p].reserve && !held[m][p]);
          assert (!places[i][CHIPS*4+i]);
        end
      end
    end
    always_comb begin
      connected[r] = 1'b0;
      for (int m = 0; m < CHIPS; m++) if (ends[m] && at_chip[m] == ID_BITS'(r)) connected[r] = 1'b1;
    end
    always_comb if (!rst) begin
      if (passed[r] != '0) assert (connected[r]);
      for (int m = 0; m < CHIPS; m++) for (int p = 0; p < 4; p++)
        if (leaves[m][p].valid && leaves[m][p].reserve && !held[m][p] && leaves[m][p].id == ID_BITS'(r))
          assert (connected[r] && leaves[m][p].links == 11'($countones(passed[r])) + 11'd1);
      assert ((places[r] & (places[r] - 1'b1)) == '0);
      assert ((places[r] != '0) == (state[r] == 3'd2));
      if (!idle[r]) assert (chip_q[r] == ssd.controller[r].side.chip_q && int'(chip_q[r]) < CHIPS);
      for (int o = 0; o < r; o++) assert (idle[r] || idle[o] || chip_q[r] != chip_q[o]);
      assert (state[r] <= 3'd4);
      assert ((state[r] == 3'd4) == (ssd.controller[r].side.to_go_q != '0));
      if (state[r] == 3'd4) assert (ssd.controller[r].side.clear_q == (ssd.controller[r].side.to_go_q == 18'd1));
      if (!idle[r]) assert (ssd.controller[r].side.commands_q == '0);
      if (!idle[r]) assert (ssd.controller[r].side.bytes_q != 16'd0);
    end
  end
endmodule
