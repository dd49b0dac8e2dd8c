use super::*;

#[test]
fn names_are_read_back() {
    let clients = [
        Client::IN_ORDER,
        Client::store_buffer(16),
        Client::per_location(3),
        Client::early(8),
        Client::early_buffer(4, 2),
        Client::out_of_order(Model::ARMV8, 16),
    ];
    for client in clients {
        assert_eq!(client.to_string().parse(), Ok(client));
    }
    assert_eq!("store-buffer".parse(), Ok(Client::store_buffer(8)));
    assert_eq!("early".parse(), Ok(Client::early(8)));
    let weak = Client::out_of_order(Model::RVWMO, 4);
    assert_eq!("ooo-4".parse(), Ok(weak));
    assert_eq!(weak.to_string(), "rvwmo-ooo-4");
    assert_eq!(weak.with_model(Model::WMO).unwrap().to_string(), "wmo-ooo-4");
    assert_eq!(weak.with_model(Model::SC), None);
    let both = Client::early_buffer(8, 8);
    assert_eq!("early-buffer".parse(), Ok(both));
    for wrong in ["", "store-buffer-0", "store-buffer8", "early-x", "early-8-buffers", "in-order-2"]
    {
        assert!(wrong.parse::<Client>().is_err(), "{wrong}");
    }
}
