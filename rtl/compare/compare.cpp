// Drives the hardware with the requests that the simulator's model was given, and compares every register of every cycle.
//
//   venice_cycles (Rust) ──► trace on standard input ──► here ──► 0: equal; 1: the first difference; 2: a torn trace
//
// Where the first line is `drive` instead, nothing is compared: the other lines are requests, which the hardware serves in order.
//
//   drive immediate|oracle
//   cycle chip cycles-on-the-wires is-read       from this cycle on, as soon as a controller and the chip are free
//
// Then `+record=FILE` writes what the hardware does, in the lines of a trace: of cycles in which something changes, without `l`.
//
// The trace's lines are described in crates/canaletto/examples/venice_cycles.rs. Beside the registers, every byte that crosses a
// circuit is checked to arrive, once, at the right place.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "Vcompare_top.h"
#include "verilated.h"
#if VM_TRACE
#include TRACE_HEADER
#endif

static constexpr int ROWS = SHAPE_ROWS, COLUMNS = SHAPE_COLUMNS, ROUTERS = ROWS * COLUMNS, EXITS = 5;

// A signal of any width as bytes; Verilator stores wide ones as words.
template <class T> static uint8_t byte_of(const T& signal, int n) {
    uint8_t value;
    std::memcpy(&value, reinterpret_cast<const uint8_t*>(&signal) + n, 1);
    return value;
}
template <class T> static void set_byte(T& signal, int n, uint8_t value) {
    std::memcpy(reinterpret_cast<uint8_t*>(&signal) + n, &value, 1);
}
template <class T> static bool bit_of(const T& signal, int n) { return byte_of(signal, n / 8) >> (n % 8) & 1; }

struct Transfer {
    int chip = 0, bytes = 0, sent = 0, arrived = 0;
    bool is_read = false;
};

struct Harness {
    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    Vcompare_top top{context.get()};
#if VM_TRACE
    TRACE_CLASS waves;
    bool tracing = false;
    long from = 0, to = 0;
#endif
    uint64_t cycle = 0, scouts_decided = 0;
    long requests = 0;
    uint8_t table[ROUTERS][8] = {};
    char activity[ROWS];
    int deciding[ROWS];
    std::vector<Transfer> transfers = std::vector<Transfer>(ROWS);

    [[noreturn]] void differ(const std::string& what) {
        std::printf("cycle %llu: %s\n", (unsigned long long)cycle, what.c_str());
        finish();
        std::exit(1);
    }
    void finish() {
#if VM_TRACE
        if (tracing) waves.close();
#endif
    }
    // What a cycle has settled to, and half a cycle later the registers after its clock edge.
    void dump([[maybe_unused]] bool is_settled) {
#if VM_TRACE
        if (tracing && !top.rst && (long)cycle >= from && (long)cycle < to) waves.dump(cycle * 1000 + (is_settled ? 0 : 500));
#endif
    }
    void clock() {
        top.clk = 1;
        top.eval();
        dump(false);
        top.clk = 0;
        top.eval();
    }
    // The byte that a controller sends, or a chip answers, as its n-th.
    static uint8_t pattern(int chip, int n) { return uint8_t(chip * 37 + n * 11 + 5); }

    void offer_bytes() {
        for (int c = 0; c < ROWS; c++) {
            const Transfer& t = transfers[c];
            set_byte(top.data_i, c, pattern(t.chip, t.sent));
            if (t.is_read) set_byte(top.chip_data_i, t.chip, pattern(t.chip, t.sent));
        }
    }
    int controller_of(int chip) const {
        for (int c = 0; c < ROWS; c++) if (activity[c] == 'T' && transfers[c].chip == chip) return c;
        return -1;
    }
    // Bytes that cross in this cycle.
    void count_bytes() {
        for (int c = 0; c < ROWS; c++) {
            Transfer& t = transfers[c];
            if (bit_of(top.read_o, c)) {
                if (byte_of(top.read_data_o, c) != pattern(t.chip, t.arrived++)) differ("a byte read is wrong, controller " + std::to_string(c));
            }
        }
        for (int chip = 0; chip < ROUTERS; chip++) {
            if (bit_of(top.chip_strobed_o, chip) && controller_of(chip) < 0) differ("a strobe for nobody at chip " + std::to_string(chip));
            if (!bit_of(top.chip_written_o, chip)) continue;
            int c = controller_of(chip);
            if (c < 0 || transfers[c].is_read) differ("a byte for nobody at chip " + std::to_string(chip));
            if (byte_of(top.chip_data_o, chip) != pattern(chip, transfers[c].arrived++)) differ("a byte written is wrong, chip " + std::to_string(chip));
        }
        for (int c = 0; c < ROWS; c++) {
            Transfer& t = transfers[c];
            if (bit_of(top.written_o, c)) t.sent++;
            if (t.is_read && activity[c] == 'T' && bit_of(top.chip_strobed_o, t.chip)) t.sent++;
        }
    }

    char activity_of(int c) const {
        return bit_of(top.idle_o, c) ? 'I' : bit_of(top.searching_o, c) ? 'S' : bit_of(top.waiting_o, c) ? 'W' : 'T';
    }
    // At which router each scout is decided about, -1 for none.
    void find_scouts(int (&found)[ROWS]) {
        for (int& at : found) at = -1;
        for (int r = 0; r < ROUTERS; r++) {
            uint32_t ports;
            std::memcpy(&ports, reinterpret_cast<const uint8_t*>(&top.deciding_o) + r * 4, 4);
            for (; ports; ports >>= 8)
                if (ports & 0x80) {
                    if (found[ports & 0x7f] >= 0) differ("a scout is at two routers");
                    found[ports & 0x7f] = r;
                }
        }
    }

    void compare() {
        if (std::memcmp(&top.table_o, table, sizeof table) != 0) {
            for (int r = 0; r < ROUTERS; r++)
                for (int x = 0; x < 6; x++) {
                    uint8_t is = byte_of(top.table_o, r * 8 + x), expected = table[r][x];
                    if (is == expected) continue;
                    char text[160];
                    if (x == 5) std::snprintf(text, sizeof text, "router %d: register is %d, the model's %d", r, is, expected);
                    else std::snprintf(text, sizeof text, "router %d, exit %d: row is %d (packet %d, entry %d), the model's %d (packet %d, entry %d)",
                        r, x, is >> 7, is >> 2 & 31, is & 3, expected >> 7, expected >> 2 & 31, expected & 3);
                    differ(text);
                }
        }
        for (int c = 0; c < ROWS; c++) {
            const char is = activity_of(c);
            if (is != activity[c]) differ("controller " + std::to_string(c) + " is " + is + ", the model's " + activity[c]);
        }
        int found[ROWS];
        find_scouts(found);
        for (int c = 0; c < ROWS; c++)
            if (found[c] != deciding[c])
                differ("scout " + std::to_string(c) + " is decided about at router " + std::to_string(found[c]) + ", the model's at " + std::to_string(deciding[c]));
    }
};

// Writes what the hardware does, in the lines of the model's trace.
struct Recorder {
    std::FILE* file = nullptr;
    uint8_t table[ROUTERS][8] = {};
    char activity[ROWS];
    bool has_cycle = false;

    explicit Recorder(const Harness& h) {
        const std::string match = h.context->commandArgsPlusMatch("record=");
        if (!match.empty() && !(file = std::fopen(match.c_str() + std::strlen("+record="), "w"))) std::perror("record"), std::exit(2);
        for (char& a : activity) a = 'I';
    }
    ~Recorder() { if (file) std::fclose(file); }

    template <class... A> void line(uint64_t cycle, const char* format, A... values) {
        if (!has_cycle) std::fprintf(file, "t %llu\n", (unsigned long long)cycle);
        has_cycle = true;
        std::fprintf(file, format, values...);
    }
    // State that a cycle has settled to; `request` is that of the controller that starts, if one does.
    void write(Harness& h, int starts, const Transfer& request) {
        if (!file) return;
        has_cycle = false;
        for (int r = 0; r < ROUTERS; r++)
            for (int x = 0; x < EXITS; x++) {
                const uint8_t is = byte_of(h.top.table_o, r * 8 + x);
                if (is == table[r][x]) continue;
                table[r][x] = is;
                if (is) line(h.cycle, "e %d %d %d %d\n", r, x, is >> 2 & 31, is & 3);
                else line(h.cycle, "x %d %d\n", r, x);
            }
        for (int c = 0; c < ROWS; c++) {
            const char is = h.activity_of(c);
            if (is != activity[c]) line(h.cycle, "c %d %c\n", c, activity[c] = is);
        }
        if (starts >= 0) line(h.cycle, "q %d %d %d %d\n", request.chip, request.bytes, int(request.is_read), starts);
        int found[ROWS];
        h.find_scouts(found);
        for (int c = 0; c < ROWS; c++) if (found[c] >= 0) line(h.cycle, "h %d %d\n", c, found[c]);
    }
};

// Serves requests until all are done. With `oracle`, every scout that waits may go again when a transfer has ended.
static int drive(Harness& h, Recorder& recorder, bool immediate) {
    long at, chip, bytes, is_read, served = 0;
    bool has_next = std::scanf("%ld %ld %ld %ld", &at, &chip, &bytes, &is_read) == 4;
    h.top.immediate_i = immediate;
    for (char& a : h.activity) a = 'I';
    for (;; h.cycle++) {
        bool is_idle = true, has_free = false;
        for (int c = 0; c < ROWS; c++) {
            const bool was_busy = h.activity[c] != 'I', now_idle = bit_of(h.top.idle_o, c);
            if (was_busy && now_idle) h.top.retry_i = (1u << ROWS) - 1;
            h.activity[c] = now_idle ? 'I' : 'T';
            is_idle &= now_idle, has_free |= now_idle;
        }
        const bool starts = has_next && (long)h.cycle >= at && has_free && h.controller_of(chip) < 0;
        h.top.start_i = starts, h.top.chip_i = chip, h.top.bytes_i = bytes, h.top.is_read_i = is_read;
        h.offer_bytes();
        h.top.eval();
        int by = -1;
        if (starts) {
            for (int c = 0; c < ROWS; c++)
                if (bit_of(h.top.started_o, c)) h.transfers[by = c] = Transfer{(int)chip, (int)bytes, 0, 0, is_read != 0}, h.activity[c] = 'T';
            served++;
            has_next = std::scanf("%ld %ld %ld %ld", &at, &chip, &bytes, &is_read) == 4;
        }
        for (int c = 0; c < ROWS; c++) {
            Transfer& t = h.transfers[c];
            if (bit_of(h.top.written_o, c) || (t.is_read && bit_of(h.top.chip_strobed_o, t.chip))) t.sent++;
        }
        recorder.write(h, by, by < 0 ? Transfer() : h.transfers[by]);
        h.dump(true);
        h.clock();
        h.top.retry_i = 0, h.top.start_i = 0;
        if (!has_next && is_idle && !starts) break;
    }
    h.finish();
    std::printf("%ld requests in %llu cycles\n", served, (unsigned long long)h.cycle);
    return 0;
}

int main(int argc, char** argv) {
    Harness h;
    h.context->commandArgs(argc, argv);
#if VM_TRACE
    if (argc > 3) {
        h.context->traceEverOn(true);
        h.top.trace(&h.waves, 99);
        h.waves.open(argv[1]);
        h.tracing = true;
        h.from = std::atol(argv[2]), h.to = std::atol(argv[3]);
    }
#endif
    char line[256];
    bool immediate = false;
    const bool has_line = std::fgets(line, sizeof line, stdin);
    const bool drives = has_line && !std::strncmp(line, "drive ", 6);
    if (!has_line || (!drives && std::sscanf(line, "venice %*d %*d %*s %8s", line + 128) != 1)) return 2;
    immediate = !std::strcmp(line + 128, "immediat");
    h.top.rst = 1;
    for (int i = 0; i < 2; i++) h.clock();
    h.top.rst = 0;
    if (drives) {
        h.top.eval();
        Recorder recorder(h);
        return drive(h, recorder, !std::strncmp(line + 6, "immediate", 9));
    }
    h.top.immediate_i = immediate;
    for (int r = 0; r < ROUTERS; r++) h.table[r][5] = uint8_t(r % 3 + 1);
    for (char& a : h.activity) a = 'I';
    for (int& d : h.deciding) d = -1;
    bool has_cycle = false, ended = false;
    int by = -1;
    auto finish_cycle = [&] {
        h.offer_bytes();
        h.top.clk = 0;
        h.top.eval();
        h.compare();
        h.count_bytes();
        int started = -1;
        for (int c = 0; c < ROWS; c++) if (bit_of(h.top.started_o, c)) started = c;
        if (started != by) h.differ("controller " + std::to_string(started) + " takes the request, the model's " + std::to_string(by));
        h.dump(true);
        h.clock();
        h.cycle++;
        h.top.start_i = 0, h.top.retry_i = 0, by = -1;
        for (int& d : h.deciding) d = -1;
    };
    while (!ended && std::fgets(line, sizeof line, stdin)) {
        if (!std::strncmp(line, "end ", 4)) {
            ended = true;
            break;
        }
        long a = 0, b = 0, c = 0, d = 0;
        char letter = 0;
        const int n = line[1] == ' ' ? std::sscanf(line + 2, "%ld %ld %ld %ld", &a, &b, &c, &d) : 0;
        switch (line[0]) {
            case 't':
                if (has_cycle) finish_cycle();
                if (n != 1 || (uint64_t)a != h.cycle) return 2;
                has_cycle = true;
                break;
            case 'q':
                h.top.start_i = 1, h.top.chip_i = a, h.top.bytes_i = b, h.top.is_read_i = c, by = d;
                h.transfers[d] = Transfer{(int)a, (int)b, 0, 0, c != 0};
                h.requests++;
                break;
            case 'r': h.top.retry_i |= 1u << a; break;
            case 'h':
                h.deciding[a] = b;
                h.scouts_decided++;
                break;
            case 'e': h.table[a][b] = uint8_t(0x80 | c << 2 | d); break;
            case 'x': h.table[a][b] = 0; break;
            case 'l': h.table[a][5] = uint8_t(b); break;
            case 'c':
                if (std::sscanf(line + 2, "%ld %c", &a, &letter) != 2) return 2;
                if (letter == 'I') {
                    const Transfer& t = h.transfers[a];
                    if (t.arrived != t.bytes) h.differ("controller " + std::to_string(a) + ": " + std::to_string(t.arrived) + " of " + std::to_string(t.bytes) + " bytes have arrived");
                }
                h.activity[a] = letter;
                break;
            default: return 2;
        }
    }
    if (!ended || !has_cycle) return 2;
    finish_cycle();
    h.finish();
    std::printf("equal: %llu cycles, %llu decisions, %ld requests; %s", (unsigned long long)h.cycle, (unsigned long long)h.scouts_decided, h.requests, line);
    return 0;
}
