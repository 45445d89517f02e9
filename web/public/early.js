// What happens before the console's script is loaded. A file of its own, because the policy allows no inline scripts.

// Sets the theme and the density that the user chose before the first paint.
{
  const chosen = localStorage.getItem('facteur.theme');
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  document.documentElement.dataset.density = localStorage.getItem('facteur.density') ?? 'comfortable';
}

// Asks who is signed in, as session.tsx does first. Its request takes this reply.
if (localStorage.getItem('facteur.signed-in') !== null) {
  const link = document.createElement('link');
  Object.assign(link, { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: '/v1/me' });
  document.head.append(link);
}
