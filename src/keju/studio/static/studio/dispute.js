// The grounds of a decision are kept while they are typed.
import { Autosave } from "./autosave.js";

new Autosave(document.getElementById("ruling"), document.getElementById("drafted"));
