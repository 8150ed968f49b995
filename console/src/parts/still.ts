import { Component } from "preact";

/** Is drawn again only when one of its properties is another one. */
export abstract class Still<P extends object> extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
        const now = this.props as Readonly<P>;
        return (Object.keys(next) as (keyof P)[]).some((name) => next[name] !== now[name]);
    }
}
