import { mount } from 'svelte';
import './ui/fonts.css';
import './ui/theme.css';
import 'uplot/dist/uPlot.min.css';
import App from './ui/App.svelte';

const target = document.getElementById('app');
if (target) mount(App, { target });
