// Looks at the site in Chromium: no page asks another host, search finds pages (over HTTP and from a file), a scenario can be stepped
// through by keyboard, nothing is wider than a phone, both modes, and Lighthouse's accessibility is at least 95.
//
//   node look.mjs SITE VERSION
import {createServer} from 'node:http';
import {readFile, mkdir} from 'node:fs/promises';
import {extname, join, resolve} from 'node:path';
import lighthouse from 'lighthouse';
import puppeteer from 'puppeteer-core';

const LEAST = 0.95;
const PAGES = ['index', 'start/tutorial', 'concepts/views', 'recipes/leader', 'operations/events', 'settings', 'scenarios', 'decisions/index'];
// One of each kind, since an audit takes some seconds.
const AUDITED = ['index', 'start/tutorial', 'concepts/views', 'settings', 'scenarios'];
const TYPES = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png'};
const [site, version] = [resolve(process.argv[2]), process.argv[3]];
const pictures = join(site, '..', 'pictures');
const wrong = [];
const check = (isRight, text) => isRight || wrong.push(text);

const server = createServer(async (request, response) => {
    try {
        const path = resolve(join(site, decodeURIComponent(new URL(request.url, 'http://x').pathname)));
        if (!path.startsWith(site)) throw new Error('outside');
        const body = await readFile(path);
        response.writeHead(200, {'content-type': TYPES[extname(path)] ?? 'application/octet-stream'}).end(body);
    } catch {
        response.writeHead(404).end();
    }
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${server.address().port}`;
const base = `${origin}/${version}`;
await mkdir(pictures, {recursive: true});
const browser = await puppeteer.launch({executablePath: process.env.CHROME_PATH, args: ['--headless=new', '--no-sandbox', '--disable-background-networking']});

async function open(url, width, mode) {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.setViewport({width, height: 900, isMobile: width < 500, hasTouch: width < 500});
    await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: mode}, {name: 'prefers-reduced-motion', value: 'reduce'}]);
    page.on('request', request => {
        const at = request.url();
        check(at.startsWith(origin) || /^(data|blob|file|about):/.test(at), `${url}: asks ${at}`);
    });
    page.on('pageerror', error => wrong.push(`${url}: ${error.message}`));
    page.on('requestfailed', request => check(request.url().endsWith('versions.json') || request.failure()?.errorText === 'net::ERR_ABORTED', `${url}: ${request.url()} failed`));
    await page.goto(url, {waitUntil: 'networkidle0'});
    return page;
}

async function search(url, words, expected) {
    const page = await open(url, 1280, 'light');
    await page.click('.md-search__button');
    // The search is in a shadow tree: its input and its results are looked for there.
    const within = (selector, test) => page.waitForFunction((what, text) => {
        const roots = [...document.querySelectorAll('*')].map(each => each.shadowRoot).filter(Boolean);
        return roots.some(root => [...root.querySelectorAll(what)].some(each => !text || each.href.includes(text)));
    }, {timeout: 30_000}, selector, test).then(() => true, () => false);
    check(await within('input', ''), `${url}: the search does not open`);
    await page.keyboard.type(words);
    const found = await within('a', expected);
    check(found, `${url}: searching '${words}' does not show ${expected}`);
    await page.screenshot({path: join(pictures, `search-${url.startsWith('file') ? 'file' : 'http'}.png`)});
    await page.close();
    console.error(`docs: search from ${url.startsWith('file') ? 'a file' : 'a server'}: ${found ? 'found' : 'not found'}`);
}

const only = process.env.DOCS_ONLY;
for (const name of only ? [] : PAGES) {
    for (const [width, mode] of [[1280, 'light'], [1280, 'dark'], [390, 'light']]) {
        const page = await open(`${base}/${name}.html`, width, mode);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(overflow <= 1, `${name}: ${overflow} pixels wider than the window of ${width}`);
        const scheme = await page.evaluate(() => document.body.dataset.mdColorScheme);
        check(scheme === (mode === 'dark' ? 'slate' : 'default'), `${name}: colours are ${scheme}, the system wants ${mode}`);
        await page.screenshot({path: join(pictures, `${name.replace('/', '-')}-${width}-${mode}.png`)});
        await page.close();
    }
}
const scenario = await open(`${base}/concepts/views.html`, 1280, 'light');
await scenario.focus('.scenario .view');
await scenario.keyboard.press('ArrowRight');
check((await scenario.$eval('.scenario .told', each => each.textContent)).startsWith('1 of'), 'concepts/views: the arrow key does not step');
check(await scenario.$$eval('.scenario', all => all.length) === 2, 'concepts/views: there are not two scenarios');
await scenario.close();
await search(`${base}/index.html`, 'fencing token', 'guarantees');
await search(`file://${site}/${version}/index.html`, 'fencing token', 'guarantees');
for (const name of AUDITED) {
    const page = await browser.newPage();
    const result = await lighthouse(`${base}/${name}.html`, {onlyCategories: ['accessibility'], logLevel: 'error', formFactor: 'desktop',
        screenEmulation: {mobile: false, width: 1280, height: 900, deviceScaleFactor: 1, disabled: false}}, undefined, page);
    const score = result.lhr.categories.accessibility.score;
    console.error(`docs: accessibility ${Math.round(score * 100)} ${name}`);
    const reasons = Object.values(result.lhr.audits).filter(each => each.score === 0 && each.scoreDisplayMode === 'binary').map(each => {
        const places = (each.details?.items ?? []).slice(0, 3).map(item => item.node?.snippet?.slice(0, 160));
        return `${each.id} ${places.join(' ')}`;
    });
    check(score >= LEAST, `${name}: accessibility ${score}: ${reasons.join('; ')}`);
    if (process.env.DOCS_REASONS && reasons.length) console.error(reasons.join('\n'));
    await page.close();
}
await browser.close();
server.close();
wrong.forEach(each => console.error(each));
console.error(`docs: looked at ${PAGES.length} pages in ${pictures}: ${wrong.length} wrong`);
process.exit(wrong.length ? 1 : 0);
