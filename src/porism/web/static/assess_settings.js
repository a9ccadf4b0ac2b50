// Values stored in this browser. Without storage, nothing is stored and null is read.

export function setting(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function set(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // no storage
  }
}
