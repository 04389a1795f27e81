// Shows a page of this site where the browser would show one of its own: a page is asked for, and no answer
// comes. It keeps that one page and what draws it, and nothing of anybody's work.

const NAME = "anatomark-offline-{{ version }}";
const [PAGE, ...DRAWN_WITH] = {{ kept|safe }};

self.addEventListener("install", (event) => {
  void self.skipWaiting();
  const fresh = [PAGE, ...DRAWN_WITH].map((address) => new Request(address, { cache: "reload" }));
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  const older = (name) => name.startsWith("anatomark-offline-") && name !== NAME;
  const forget = async () => Promise.all((await caches.keys()).filter(older).map((name) => caches.delete(name)));
  // The page is asked for while the worker wakes up: nobody waits for it.
  event.waitUntil(Promise.all([forget(), self.registration.navigationPreload?.enable()]));
});

self.addEventListener("fetch", (event) => {
  const { request, preloadResponse } = event;
  // A form that was sent is the browser's: only it can send it again.
  if (request.mode === "navigate" && request.method === "GET")
    event.respondWith(firstOf(async () => (await preloadResponse) ?? fetch(request), PAGE));
  else if (DRAWN_WITH.includes(new URL(request.url).pathname))
    event.respondWith(firstOf(() => fetch(request), request));
});

async function firstOf(answer, kept) {
  try {
    return await answer();
  } catch {
    return (await caches.match(kept, { ignoreVary: true })) ?? Response.error();
  }
}
