// The page's entry: mounts the app once.
import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { startRouter } from './lib/router.svelte';
import { applyTheme } from './lib/theme.svelte';

applyTheme();
startRouter();
mount(App, { target: document.getElementById('app') ?? document.body });
