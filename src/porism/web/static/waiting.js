// Shows the progress of indexing, and opens the search at the same address when it is ready.

const INTERVAL = 300;
const progress = document.getElementById("progress");

async function update() {
  try {
    const response = await fetch("/api/health");
    const health = await response.json();
    if (health.status !== "starting") {
      location.reload();
      return;
    }
    if (progress.textContent !== health.message) {
      progress.textContent = health.message;
    }
  } catch {
    progress.textContent = "The server has stopped.";
  }
  setTimeout(update, INTERVAL);
}

update();
