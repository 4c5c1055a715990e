// Looks at the built site in a browser, and ends with 1 if something is wrong:
// pages against WCAG 2.1 AA with axe-core, every tenth in dark colours, too; what a search finds; a missing page under a sub-path.
//
//   NODE_PATH=MODULES node check.mjs SITE BROWSER      with axe-core and puppeteer-core in MODULES

import { createReadStream, existsSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";

const require = createRequire(join(process.env.NODE_PATH, "from"));
const axe = require("axe-core").source;
const { launch } = require("puppeteer-core");
const [site, executablePath] = process.argv.slice(2);
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
const SEARCHES = ["--set", "blktrace", "path_conflict", "p99", "p99.99", "QD", "WAF", "ZNS"];
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml" };
const LONG = 120_000;
const problems = [];

// The site under a path of its own, as a host of pages serves it.
function serve() {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    let file = path.startsWith("/sub/") ? join(site, path.slice("/sub/".length)) : "";
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    const found = file && existsSync(file);
    const sent = found ? file : join(site, "404.html");
    response.writeHead(found ? 200 : 404, { "content-type": TYPES[extname(sent)] ?? "application/octet-stream" });
    createReadStream(sent).pipe(response);
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

async function accessible(scheme, names) {
  const context = await browser.createBrowserContext(); // The choice of a scheme is kept per context.
  const broken = new Map();
  for (const name of names) {
    const tab = await context.newPage();
    // So high that nothing of the navigation is scrolled out of sight, where it would be judged on the footer's colour.
    await tab.setViewport({ width: 1280, height: 6000 });
    await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    // Pages make an index of the whole site for searches, which take most of the time.
    await tab.setRequestInterception(true);
    tab.on("request", (request) => (/\/sub\/search\/|workers\/search/.test(request.url()) ? request.abort() : request.continue()));
    await tab.goto(root + name, { waitUntil: "load", timeout: LONG });
    await tab.addStyleTag({ content: "* { transition: none !important; animation: none !important; }" });
    await tab.evaluate(axe);
    const { violations } = await tab.evaluate((rules) => axe.run(document, { runOnly: rules, resultTypes: ["violations"], iframes: false }), RULES);
    await tab.close();
    for (const { id, help, nodes } of violations) {
      const known = broken.get(id) ?? { help, pages: 0, first: `${name}: ${nodes[0].target}: ${nodes[0].failureSummary}` };
      known.pages += 1;
      broken.set(id, known);
    }
  }
  for (const [id, { help, pages, first }] of broken) {
    problems.push(`${id} (${scheme}): ${help}, on ${pages} pages, such as\n  ${first.replace(/\s+/g, " ")}`);
  }
}

async function searched() {
  const tab = await browser.newPage();
  for (const query of SEARCHES) {
    await tab.goto(`${root}index.html`, { waitUntil: "load", timeout: LONG });
    await tab.focus(".md-search__input");
    await tab.keyboard.type(query);
    const hit = await tab.waitForSelector(".md-search-result__item mark", { timeout: LONG }).catch(() => null);
    if (hit === null) problems.push(`search: nothing is found for ${query}`);
  }
}

async function missing() {
  const tab = await browser.newPage();
  const answer = await tab.goto(`${root}explanation/deep/nowhere.html`, { waitUntil: "networkidle0", timeout: LONG });
  const home = await tab.$eval("#home", (link) => link.href);
  if (answer.status() !== 404 || home !== root) problems.push(`the page for missing pages leads to ${home}, not to ${root}`);
}

// Pages that are made alike, of keys, names and presets: some are enough.
const ALIKE = /^reference\/(design|python|presets)\//;
const built = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".html"));
const pages = built.filter((name, number) => !ALIKE.test(name) || number % 6 === 0);
const server = await serve();
const root = `http://127.0.0.1:${server.address().port}/sub/`;
const browser = await launch({ executablePath, args: ["--no-sandbox"], protocolTimeout: LONG });
await searched();
await missing();
await accessible("light", pages);
await accessible("dark", pages.filter((_, number) => number % 10 === 0)); // The same texts in other colours: some are enough.
await browser.close();
server.close();
for (const problem of problems) console.error(problem);
console.log(`site: ${pages.length} of ${built.length} pages looked at, ${problems.length} problems`);
process.exit(problems.length || pages.length === 0 ? 1 : 0);
