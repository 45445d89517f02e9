import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/index.ts';
import { removeFailedStyles } from './api/loads.ts';
import { queryClient } from './api/query-client.ts';
import { startBack } from './parts/back-closes.ts';
import { keepBusyFocus } from './parts/busy-focus.ts';
import { router } from './router.ts';
import { colorSchemeManager, cssVariablesResolver, theme } from './theme.ts';
import { WordsProvider } from './words/words.tsx';

removeFailedStyles();
keepBusyFocus();
startBack();

// The first screen loads while the texts do. A failure is shown by the router.
void router.load();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      cssVariablesResolver={cssVariablesResolver}
    >
      <WordsProvider>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </WordsProvider>
    </MantineProvider>
  </StrictMode>,
);
