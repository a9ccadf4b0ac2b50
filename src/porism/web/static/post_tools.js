// The buttons below a post: copy its link, its text with LaTeX, or a reference.

async function copy(button, read) {
  const label = button.textContent;
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(await read());
  } catch {
    said = "Could not be copied"; // the browser forbids it, or the server does not answer
  }
  button.style.minWidth = `${button.offsetWidth}px`; // so that nothing moves under the pointer
  button.textContent = said;
  button.addEventListener("blur", () => (button.textContent = label), { once: true });
}

async function textOf(postId) {
  const path = postId.split("/").map(encodeURIComponent).join("/");
  const response = await fetch(`/api/posts/${path}`);
  if (!response.ok) throw new Error(`error ${response.status}`);
  return (await response.json()).text;
}

for (const button of document.querySelectorAll("[data-copy-post], [data-copy-text]")) {
  button.hidden = false;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy-post], [data-copy-text], [data-copy-link]");
  if (!button) return;
  if (button.dataset.copyPost !== undefined) {
    copy(button, () => textOf(button.dataset.copyPost));
  } else if (button.dataset.copyText !== undefined) {
    copy(button, () => button.closest(".citation-text").querySelector("pre").textContent);
  } else {
    const address = new URL(button.href);
    address.search = ""; // the search that led here is nobody else's
    copy(button, () => address.href);
  }
});
