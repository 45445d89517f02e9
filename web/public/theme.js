// Sets the chosen theme before the first paint. A file of its own, because the policy allows no inline scripts.
{
  const chosen = localStorage.getItem('facteur.theme');
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
}
