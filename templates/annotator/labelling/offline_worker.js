// Show this site's offline page instead of the browser's when a page request fails. Only that page and its
// assets are cached, never user data.

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
  // Preload the page while the worker starts, so that navigation does not wait for it.
  event.waitUntil(Promise.all([forget(), self.registration.navigationPreload?.enable()]));
});

self.addEventListener("fetch", (event) => {
  const { request, preloadResponse } = event;
  // Leave form submissions to the browser, which alone can resend them.
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
