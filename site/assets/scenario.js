// Plays the traces of scenarios: each block of language "scenario" becomes a space-time diagram, one line for each member and
// time downwards, with buttons and the arrow keys to go through it. The block itself stays, folded, as text. What the diagram
// shows is what a test compares with the simulator; nothing is drawn that is not in the block.
(() => {
    'use strict';
    const SVG = 'http://www.w3.org/2000/svg';
    const STEP_MILLIS = 900, COLUMN = 130, LEFT = 96, TOP = 44, ROW = 30;

    /** Returns the rows of a block: {step} or {time, from, to: [], text}. */
    function read(text) {
        const rows = [];
        for (const line of text.split('\n')) {
            if (!line.trim()) continue;
            if (!line.startsWith('    ')) {
                if (!/^(\d+ processes|seed |node with|group with|show |a state)/.test(line)) rows.push({step: line.trim()});
                continue;
            }
            const event = /^\s*([\d.]+ ms)\s+(.*)$/.exec(line);
            if (!event) continue;
            const message = /^(n\d+) → ((?:n\d+ ?)+?)(?:\s+)([^\s].*)$/.exec(event[2]);
            if (message) {
                rows.push({time: event[1], from: message[1], to: message[2].trim().split(/ +/), text: message[3]});
            } else {
                const local = /^((?:n\d+ ?)+?)\s+([^\s].*)$/.exec(event[2]);
                // "n2 n3   view n1 n2": members come first, two spaces or more before the text.
                const parts = event[2].split(/ {2,}/);
                if (parts.length > 1) rows.push({time: event[1], to: parts[0].trim().split(' '), text: parts.slice(1).join(' ')});
                else if (local) rows.push({time: event[1], to: local[1].trim().split(' '), text: local[2]});
            }
        }
        return rows;
    }

    function make(name, attributes, parent, text) {
        const element = document.createElementNS(SVG, name);
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
        if (text) element.textContent = text;
        parent.append(element);
        return element;
    }

    function tell(row) {
        if (row.step) return row.step;
        return `${row.time}: ` + (row.from ? `${row.from} to ${row.to.join(' and ')}: ${row.text}` : `${row.to.join(' and ')}: ${row.text}`);
    }

    function build(block) {
        const rows = read(block.textContent);
        const members = [...new Set(rows.flatMap(row => row.step ? row.step.match(/\bn\d+\b/g) || [] : [...(row.from ? [row.from] : []), ...row.to]))]
            .sort((a, b) => a.slice(1) - b.slice(1));
        if (!members.length) return;
        const x = member => LEFT + members.indexOf(member) * COLUMN + COLUMN / 2;
        const width = LEFT + members.length * COLUMN + 190, height = TOP + rows.length * ROW + 16;
        const figure = document.createElement('figure');
        figure.className = 'scenario';
        figure.setAttribute('role', 'group');
        figure.setAttribute('aria-label', 'Diagram of messages between members, to be gone through step by step');
        const controls = document.createElement('div');
        controls.className = 'controls';
        const view = document.createElement('div');
        view.className = 'view';
        view.tabIndex = 0;
        view.setAttribute('role', 'region');
        view.setAttribute('aria-label', 'Diagram; arrow keys go to the next and the previous event');
        figure.append(controls, view);
        const told = document.createElement('div');
        told.className = 'told';
        told.setAttribute('aria-live', 'polite');
        const svg = make('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${rows.length} events at ${members.join(', ')}; the text follows below`}, view);
        for (const member of members) {
            make('line', {class: 'axis', x1: x(member), y1: TOP - 8, x2: x(member), y2: height - 6}, svg);
            make('text', {x: x(member), y: TOP - 20, 'text-anchor': 'middle', 'font-weight': '600'}, svg, member);
        }
        const drawn = rows.map((row, index) => {
            const y = TOP + index * ROW + 22;
            const group = make('g', {class: 'event'}, svg);
            if (row.step) {
                make('rect', {class: 'band', x: 0, y: y - 16, width, height: 22, rx: 4}, group);
                make('text', {x: 8, y}, group, row.step);
                return group;
            }
            make('text', {class: 'soft', x: LEFT - 12, y: y + 4, 'text-anchor': 'end'}, group, row.time);
            for (const to of row.to) {
                if (row.from) {
                    const back = x(to) > x(row.from) ? -8 : 8;
                    make('line', {class: 'message', x1: x(row.from), y1: y - 14, x2: x(to) + back, y2: y - 1}, group);
                    make('path', {class: 'message', d: `M${x(to) + back * 1.9} ${y - 7} L${x(to) + back / 2} ${y} L${x(to) + back * 1.9} ${y + 4}`}, group);
                } else {
                    make('circle', {class: /killed|left|suspend|closed|gone/.test(row.text) ? 'gone' : 'note', cx: x(to), cy: y, r: 5}, group);
                }
            }
            make('text', {class: 'soft', x: LEFT + members.length * COLUMN - 12, y: y + 4}, group, row.text);
            return group;
        });
        let at = -1, timer = null;
        function show(next) {
            at = Math.max(-1, Math.min(next, rows.length - 1));
            drawn.forEach((group, index) => {
                group.classList.toggle('seen', index <= at || at < 0);
                group.classList.toggle('now', index === at);
            });
            told.textContent = at < 0 ? `${rows.length} events` : `${at + 1} of ${rows.length}. ${tell(rows[at])}`;
            if (at >= 0) {
                const top = (TOP + at * ROW) / height * view.scrollHeight;
                if (top < view.scrollTop || top > view.scrollTop + view.clientHeight - 70) view.scrollTop = top - view.clientHeight / 2;
            }
        }
        function stop() {
            clearInterval(timer);
            timer = null;
            play.textContent = 'Play';
        }
        function button(label, action) {
            const element = document.createElement('button');
            element.type = 'button';
            element.textContent = label;
            element.addEventListener('click', action);
            controls.append(element);
            return element;
        }
        const play = button('Play', () => {
            if (timer) return stop();
            if (at === rows.length - 1) show(-1);
            play.textContent = 'Pause';
            show(at + 1);
            timer = setInterval(() => at < rows.length - 1 ? show(at + 1) : stop(), STEP_MILLIS);
        });
        button('Back', () => { stop(); show(at - 1); });
        button('Step', () => { stop(); show(at + 1); });
        button('All', () => { stop(); show(-1); });
        controls.append(told);
        figure.addEventListener('keydown', event => {
            const by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
            if (by) {
                event.preventDefault();
                stop();
                show(at + by);
            }
        });
        show(-1);
        const outer = block.closest('.highlight, pre');
        const details = document.createElement('details');
        const summary = document.createElement('summary');
        summary.textContent = 'The same as text';
        outer.before(figure);
        details.append(summary, outer);
        figure.after(details);
    }

    const start = () => document.querySelectorAll('.language-scenario code, code.language-scenario').forEach(block => {
        if (!block.closest('details')) build(block);
    });
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
    else start();
})();
