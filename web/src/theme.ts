import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core';

const tuple = (shades: string) => shades.split(' ') as unknown as MantineColorsTuple;

/** Attributes of a dialog's parts: its head is no second banner of the page. */
export const dialogParts = { header: { role: 'presentation' } };

/** The theme's values that Mantine knows by a name of its own; all others are variables in `tokens.css`. */
export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  colors: {
    ink: tuple('#ECF0FD #DAE2FB #B4C5FF #93ABFF #6F8BF2 #4A6CE4 #3F62DB #2F54C9 #2646AD #1C3585'),
    gray: tuple('#FAF9F7 #F4F2EE #EFEDE8 #E5E2DC #D6D2CA #8C877D #6B665E #57534C #3A3733 #1F1D1A'),
    dark: tuple('#EDEAE4 #B8B3A9 #9C968B #79746A #413E39 #282623 #1B1A18 #1B1A18 #141312 #0E0D0C'),
    red: tuple('#FCECEA #F9D5D1 #F6B0A9 #F4A097 #F28E84 #D9564B #C93A30 #B3261E #8A1C16 #3A1F1C'),
  },
  white: '#FFFFFF',
  black: '#1F1D1A',
  fontFamily: 'var(--f-font)',
  fontFamilyMonospace: 'var(--f-mono)',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.333', sm: '1.385', md: '1.43', lg: '1.5', xl: '1.4' },
  spacing: { xs: '0.25rem', sm: '0.5rem', md: '0.75rem', lg: '1rem', xl: '1.5rem' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'sm',
  shadows: {
    xs: 'var(--f-shadow-1)',
    sm: 'var(--f-shadow-1)',
    md: 'var(--f-shadow-2)',
    lg: 'var(--f-shadow-3)',
    xl: 'var(--f-shadow-3)',
  },
  breakpoints: { xs: '30em', sm: '45em', md: '68.75em', lg: '80em', xl: '90em' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { variant: 'default', size: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'md' } },
    Modal: {
      defaultProps: {
        size: 480,
        zIndex: 21,
        radius: 'lg',
        centered: true,
        padding: 'lg',
        overlayProps: { blur: 0 },
        attributes: dialogParts,
      },
    },
    Drawer: {
      defaultProps: { size: 560, zIndex: 21, position: 'right', padding: 'lg', attributes: dialogParts },
    },
    Menu: {
      defaultProps: {
        shadow: 'md',
        radius: 'md',
        transitionProps: { duration: 120 },
        // Menus open inside of the page's landmark, and have nothing in them but items.
        portalProps: { target: '#content' },
        withInitialFocusPlaceholder: false,
      },
    },
    // The explanation of a field is below it.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    Combobox: { defaultProps: { shadow: 'md' } },
  },
});

const shared = {
  '--mantine-color-body': 'var(--f-surface)',
  '--mantine-color-text': 'var(--f-text)',
  '--mantine-color-dimmed': 'var(--f-text-2)',
  '--mantine-color-placeholder': 'var(--f-text-3)',
  '--mantine-color-default': 'var(--f-surface)',
  '--mantine-color-default-color': 'var(--f-text)',
  '--mantine-color-default-border': 'var(--f-button-line)',
  '--mantine-color-default-hover': 'var(--f-hover)',
  '--mantine-color-anchor': 'var(--f-ink)',
  '--mantine-color-ink-filled': 'var(--f-ink-fill)',
  '--mantine-color-ink-filled-hover': 'var(--f-ink-fill-hover)',
  '--mantine-color-ink-light': 'var(--f-ink-soft)',
  '--mantine-color-ink-light-color': 'var(--f-ink-on-soft)',
  '--mantine-color-gray-light-color': 'var(--f-text-2)',
  '--mantine-color-error': 'var(--f-red)',
};

/** Our names for Mantine's colours; both themes read them, because ours know light and dark themselves. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: shared,
  dark: shared,
});

/** Where the chosen theme is kept; `public/early.js` reads it before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'facteur.theme' });
