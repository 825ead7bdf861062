
(() => {
  // Distinct for most eyes, on light and on dark paper.
  const colours = ["#3b82f6", "#e07a1f", "#8a8f98", "#19a974", "#c13fb4", "#d64545", "#7a5af5", "#0ea5b7", "#a3831b", "#64748b"];
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const ink = dark ? "#98a2b3" : "#667085";
  const line = dark ? "#323a48" : "#dfe3ea";
  const short = value => {
    if (value === null || value === undefined) return "–";
    const units = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
    for (const [factor, unit] of units) {
      if (Math.abs(value) >= factor) return +(value / factor).toPrecision(3) + " " + unit;
    }
    return String(+value.toPrecision(3));
  };
  const positive = value => value === null || value > 0 ? value : null;
  JSON.parse(document.getElementById("data").textContent).forEach((chart, index) => {
    const figure = document.getElementById("chart-" + index);
    const names = Object.keys(chart.lines);
    const places = chart.places.map((_, place) => place);
    const values = names.map(name => chart.isLogarithmic ? chart.lines[name].map(positive) : chart.lines[name]);
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, labelSize: 20 };
    // Bars of the same place stand beside each other.
    const width = 0.8 / names.length;
    const bars = number => uPlot.paths.bars({ disp: {
      x0: { unit: 1, values: () => places.map(place => place - 0.4 + number * width) },
      size: { unit: 1, values: () => places.map(() => width * 0.9) },
    } });
    new uPlot({
      width: figure.clientWidth - 24,
      height: 300,
      scales: {
        x: { time: false, range: chart.isBars ? [-0.6, places.length - 0.4] : [-0.2, places.length - 0.8] },
        // The shortest bar has a height, too.
        y: chart.isLogarithmic && chart.isBars
          ? { distr: 3, range: (u, low, high) => [10 ** Math.floor(Math.log10(low / 1.5)), 10 ** Math.ceil(Math.log10(high))] }
          : chart.isLogarithmic ? { distr: 3 } : { range: (u, low, high) => [0, high * 1.1 || 1] },
      },
      axes: [
        { ...axis, label: chart.placeTitle, splits: () => places, values: (u, splits) => splits.map(at => chart.places[at]) },
        { ...axis, label: chart.valueTitle, size: 60, values: (u, splits) => splits.map(at => at === null ? "" : short(at)) },
      ],
      series: [
        { label: chart.placeTitle, value: (u, at) => at === null ? "–" : chart.places[at] },
        ...names.map((name, number) => ({
          label: name,
          stroke: colours[number % colours.length],
          fill: chart.isBars ? colours[number % colours.length] : undefined,
          paths: chart.isBars ? bars(number) : undefined,
          width: chart.isBars ? 0 : 2,
          dash: number < colours.length ? undefined : [6, 4],
          spanGaps: true,
          points: { show: !chart.isBars, size: 6 },
          value: (u, value) => short(value),
        })),
      ],
    }, [places, ...values], figure);
  });
})();
