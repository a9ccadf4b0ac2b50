// The searches that were submitted last in this browser, below the examples. They stay in it.

const KEY = "porism.recent";
const MOST = 8;
const LONGEST = 300;

function read() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((each) => typeof each?.search === "string") : [];
  } catch {
    return []; // storage is switched off, or something else wrote there
  }
}

function write(searches) {
  try {
    localStorage.setItem(KEY, JSON.stringify(searches));
  } catch {
    // Storage is switched off or full; the list is a convenience.
  }
}

export function connectRecent(section, box) {
  const list = section.querySelector("ul");

  function draw() {
    const searches = box.value.trim() ? [] : read();
    section.hidden = searches.length === 0;
    list.replaceChildren(
      ...searches.map(({ text, search }) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = `/?${new URLSearchParams(search)}`;
        link.textContent = text;
        item.append(link);
        return item;
      }),
    );
  }

  function update(submitted) {
    const text = submitted.trim();
    const search = location.search.slice(1);
    if (text && text.length <= LONGEST) {
      const others = read().filter((each) => each.text !== text);
      write([{ text, search }, ...others].slice(0, MOST));
    }
    draw();
  }

  section.querySelector("button").addEventListener("click", () => {
    write([]);
    draw();
    box.focus();
  });
  update(box.value);
  return { update };
}
