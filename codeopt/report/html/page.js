// What a page does beside being read: tables sort by a click on a heading, flame graphs zoom and are searched.
for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const value = (row, at) => {
    const text = row.cells[at].textContent.trim(), number = parseFloat(text.replace(/,/g, ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  heads.forEach((head, at) => {
    if (head.tagName !== "TH") return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      heads.forEach(each => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? 1 : -1;
      body.append(...[...body.rows].sort((a, b) => order(value(a, at), value(b, at)) * (down ? -1 : 1)));
    };
  });
}
for (const graph of document.querySelectorAll("svg.flame")) {
  const boxes = [...graph.querySelectorAll("svg")].map(box => ({
    box, left: parseFloat(box.getAttribute("x")), width: parseFloat(box.getAttribute("width")), y: +box.getAttribute("y"),
    title: box.querySelector("title").textContent, text: box.querySelector("text"),
  }));
  const whole = {left: 0, width: 100, y: -1};
  let shown = whole;
  const zoom = to => {
    shown = to;
    for (const each of boxes) {
      const inside = each.y > to.y ? each.left >= to.left - 1e-4 && each.left + each.width <= to.left + to.width + 1e-4
        : each.left <= to.left + 1e-4 && each.left + each.width >= to.left + to.width - 1e-4;
      each.box.style.display = inside ? "" : "none";
      if (!inside) continue;
      const wide = Math.min(100, each.width / to.width * 100);
      each.box.setAttribute("x", (each.y > to.y ? (each.left - to.left) / to.width * 100 : 0) + "%");
      each.box.setAttribute("width", wide + "%");
      if (!each.text && wide > 2) {
        each.text = document.createElementNS("http://www.w3.org/2000/svg", "text");
        each.text.setAttribute("x", 4);
        each.text.setAttribute("y", 13);
        each.text.textContent = each.title.replace(/( \(.*)?: [^:]*$/, "");
        each.box.append(each.text);
      }
    }
  };
  graph.onclick = event => {
    const box = event.target.closest("svg.flame > svg"), found = boxes.find(each => each.box === box);
    zoom(!found || found === shown ? whole : found);
  };
  const tools = document.createElement("p"), label = document.createElement("label"), field = document.createElement("input");
  const reset = document.createElement("button"), told = document.createElement("output");
  field.type = "search";
  label.append("Find ", field);
  reset.type = "button";
  reset.textContent = "Whole graph";
  reset.onclick = () => zoom(whole);
  field.oninput = () => {
    const words = field.value.toLowerCase(), hits = boxes.filter(each => words && each.title.toLowerCase().includes(words));
    boxes.forEach(each => each.box.classList.toggle("found", hits.includes(each)));
    const outer = hits.filter(each => !hits.some(other => other.y < each.y && other.left <= each.left + 1e-4
      && other.left + other.width >= each.left + each.width - 1e-4));
    told.textContent = words ? `${hits.length} found, ${outer.reduce((sum, each) => sum + each.width, 0).toFixed(1)} %` : "";
  };
  tools.className = "tools";
  tools.append(label, reset, told, "A click on a function makes it the whole width.");
  graph.before(tools);
}
