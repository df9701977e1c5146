// The driver of the test: it does in Chromium what the lines of its standard input say, and
// answers each with a line. A line is {"do": NAME, ...}, its answer {"value": …} or {"error": TEXT}.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const patience = 90_000;
const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

// A browser in a container has no user namespace of its own for its sandbox.
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"], timeout: patience });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
context.setDefaultTimeout(patience);

const odd = []; // what a page must not do
let page;

const doing = {
  // goto opens an address in a new tab and returns the status of the answer.
  async goto({ url }) {
    await page?.close();
    page = await context.newPage();
    page.on("dialog", (d) => { odd.push(`dialog: ${d.message()}`); d.dismiss(); });
    page.on("pageerror", (e) => odd.push(`error: ${e.message}`));
    page.on("console", (m) => /Content Security Policy|TrustedHTML/.test(m.text()) && odd.push(`console: ${m.text()}`));
    page.on("request", (r) => new URL(r.url()).host !== new URL(url).host && odd.push(`request: ${r.url()}`));
    return (await page.goto(url)).status();
  },
  // from opens an address from a page of another origin.
  async from({ url, origin }) {
    const other = await context.newPage();
    await other.route(`${origin}/**`, (route) => route.fulfill({ contentType: "text/html", body: `<a href="${url}">x</a>` }));
    await other.goto(`${origin}/`);
    const [answer] = await Promise.all([other.waitForResponse((r) => r.url() === url), other.click("a")]);
    const status = answer.status();
    await other.close();
    return status;
  },
  wait: ({ selector, state }) => page.locator(selector).first().waitFor({ state: state ?? "visible" }),
  click: ({ selector }) => page.locator(selector).first().click(),
  fill: ({ selector, text }) => page.locator(selector).first().fill(text),
  text: ({ selector }) => page.locator(selector).first().innerText(),
  // app clicks an element of an app, which is in a frame of a frame, or returns its text.
  async app({ selector, click }) {
    const element = page.frameLocator("iframe").frameLocator("iframe").locator(selector).first();
    return click ? element.click() : element.innerText();
  },
  eval: ({ code }) => page.evaluate(code),
  press: ({ key }) => page.keyboard.press(key),
  type: ({ text }) => page.keyboard.type(text),
  // tabTo presses Tab until the element has the focus.
  async tabTo({ selector }) {
    for (let i = 0; i < 200; i++) {
      await page.keyboard.press("Tab");
      if (await page.locator(selector).first().evaluate((e) => e === document.activeElement)) return i;
    }
    throw new Error(`200 times Tab do not reach ${selector}`);
  },
  async look({ scheme, width, height }) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: height ?? 900 });
  },
  // axe returns what axe-core finds, one text for each.
  async axe() {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run(document));
    return violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html).join(" ").slice(0, 500)}`);
  },
  async picture({ path }) { await page.screenshot({ path }); },
  odd: async () => odd.splice(0),
  cookies: () => context.cookies(),
};

console.log(JSON.stringify({ value: browser.version() }));
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  try {
    console.log(JSON.stringify({ value: (await doing[request.do](request)) ?? null }));
  } catch (e) {
    console.log(JSON.stringify({ error: `${e.message}\nThe page says:\n${await page?.innerText("body").catch(() => "nothing")}` }));
  }
}
await browser.close();
