use super::*;

#[test]
fn names_are_read_back() {
    let clients = [
        Client::InOrder,
        Client::store_buffer(16),
        Client::per_location(3),
        Client::Early(8),
        Client::EarlyBuffer {
            window: 4,
            entries: 2,
        },
    ];
    for client in clients {
        assert_eq!(client.to_string().parse(), Ok(client));
    }
    assert_eq!("store-buffer".parse(), Ok(Client::store_buffer(8)));
    assert_eq!("early".parse(), Ok(Client::Early(8)));
    let both = Client::EarlyBuffer {
        window: 8,
        entries: 8,
    };
    assert_eq!("early-buffer".parse(), Ok(both));
    for wrong in [
        "",
        "store-buffer-0",
        "store-buffer8",
        "early-x",
        "early-8-buffers",
        "in-order-2",
    ] {
        assert!(wrong.parse::<Client>().is_err(), "{wrong}");
    }
}
