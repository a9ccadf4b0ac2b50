// The REST interface, tried out: a form sends its request and shows the response below it.

function request(form) {
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const input of form.querySelectorAll("input")) {
    const isGiven = input.type === "checkbox" ? input.checked : input.value !== "";
    if (!isGiven) continue;
    if (input.dataset.place === "path") {
      path = path.replace(`{${input.name}}`, input.value.split("/").map(encodeURIComponent).join("/"));
    } else {
      query.append(input.name, input.value);
    }
  }
  return query.size ? `${path}?${query}` : path;
}

async function send(form) {
  const output = form.querySelector(".response");
  const address = request(form);
  const body = form.querySelector(".body")?.value;
  form.querySelector(".sent").textContent = `${form.dataset.method} ${address}`;
  output.hidden = false;
  output.textContent = "…";
  try {
    const response = await fetch(address, {
      method: form.dataset.method,
      headers: body ? { "Content-Type": "application/json" } : {},
      body,
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    const shown = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text;
    output.textContent = `${response.status} ${response.statusText}\n\n${shown}`;
  } catch (error) {
    output.textContent = `The server cannot be reached (${error.message}).`;
  }
}

for (const form of document.querySelectorAll("form.request")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}
// An address such as /docs#get-api-search opens its request.
document.getElementById(location.hash.slice(1))?.setAttribute("open", "");
